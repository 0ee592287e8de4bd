#pragma once
// Parameters of which each rank of a group has a part, along one axis. That is said by the initialiser: a
// part starts as that part of the whole does, whoever has it.

#include "weft/ir/group.hpp"
#include "weft/nn/walk.hpp"

namespace WEFT_NAMESPACE::nn {

namespace init {

// // The rank's part along Axis of what Init starts the whole with. Group: comm::tensor_parallel<degree,
// Backend>. Of a whole that is several things along that axis, such as the weights of q, k and v, a part has
// its part of each of these `Blocks`.
template <int Axis, class Group, class Init, int Blocks = 1>
struct Part {
  using group = Group;
  static constexpr int axis = Axis, blocks = Blocks;
  static constexpr ir::Value value(ir::Builder& b, const Dims& part) {
    Dims whole = part;
    whole.extent[Axis] *= Group::degree;
    const ir::Value v = Init::value(b, whole);
    if (Blocks == 1) return ir::group_part(v, Axis, Group::degree);
    Dims apart;
    apart.rank = part.rank + 1;
    for (int k = 0; k < part.rank; ++k) apart.extent[k + (k > Axis ? 1 : 0)] = whole.extent[k];
    apart.extent[Axis] = Blocks;
    apart.extent[Axis + 1] = whole.extent[Axis] / Blocks;
    return ir::reshape(ir::group_part(ir::reshape(v, apart), Axis + 1, Group::degree), part);
  }
};

}  // namespace init

// Whether S, a Param or Buffer, is a part.
template <class S>
concept HeldInParts = requires {
  typename S::initializer::group;
  S::initializer::axis;
};

// A model's groups as one type.
struct NoGroup {
  static constexpr int degree = 1;
};
struct SeveralGroups {
  static constexpr int degree = 1;
};

namespace module_detail {

template <class A, class B>
using joined_group = std::conditional_t<std::is_same_v<A, NoGroup> || std::is_same_v<A, B>, B,
                                        std::conditional_t<std::is_same_v<B, NoGroup>, A, SeveralGroups>>;

template <class M>
constexpr auto find_group();
template <class... M>
struct GroupOfAll {
  using type = NoGroup;
};
template <class First, class... Rest>
struct GroupOfAll<First, Rest...> {
  using type = joined_group<decltype(find_group<First>()), typename GroupOfAll<Rest...>::type>;
};

// Of a value-initialised group; the types inside M are those that walk() visits.
template <class M>
constexpr auto find_group() {
  if constexpr (nn::is_state<M>) {  // recurrent_cell.hpp has a function of this name here
    if constexpr (HeldInParts<M>)
      return typename M::initializer::group{};
    else
      return NoGroup{};
  } else if constexpr (std::is_same_v<M, Mode> || is_tied<M> || std::is_empty_v<M> || !std::is_class_v<M>) {
    return NoGroup{};
  } else if constexpr (is_array_like<M>) {
    return find_group<typename M::value_type>();
  } else if constexpr (is_sequential<M>) {
    return []<class... L>(std::tuple<L...>*) {
      return typename GroupOfAll<L...>::type{};
    }(static_cast<decltype(M::layers)*>(nullptr));
  } else if constexpr (is_stack<M>) {
    return find_group<typename M::block_type>();
  } else if constexpr (is_frozen<M>) {
    return find_group<std::remove_cvref_t<decltype(M::inner)>>();
  } else if constexpr (is_spliced<M>) {
    return typename GroupOfAll<decltype(M::first), decltype(M::rest)>::type{};
  } else {
    return []<class... F>(field_detail::FieldTypes<F...>) {
      return typename GroupOfAll<F...>::type{};
    }(field_detail::Types<M>{});
  }
}

}  // namespace module_detail

// The group that the parameters of M are parts of: NoGroup where all are whole, SeveralGroups where they are
// of more than one.
template <class M>
using group_of = decltype(module_detail::find_group<M>());

}  // namespace WEFT_NAMESPACE::nn
