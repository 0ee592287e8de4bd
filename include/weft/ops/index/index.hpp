#pragma once
// index(x, every, range<1, 5, 2>, ellipsis, newaxis, at<-1>, tensor, bounded<8>(mask)): Python's
// x[:, 1:5:2, ..., None, -1, tensor, mask], and index_put, which writes there. Law: slices, places and new
// axes are views; all tensors together are one kernel. Negative indices count from the end.

#include "weft/ops/index/index_rule.hpp"
#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/index/scatter.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(IndexAxesExist,
             "index: more axes are indexed than the tensor has, or the result would have more than 8");
WEFT_REFUSAL(OneEllipsis, "index: an ellipsis may stand once");
WEFT_REFUSAL(PlaceInAxis, "index: the place lies outside its axis, or a range's step is not positive");
WEFT_REFUSAL(
    IndicesBroadcast,
    "index: the index tensors must be integers whose shapes broadcast; a mask says how many places it has "
    "at most, index(x, bounded<16>(mask)), or keeps all, where(mask, x, 0)");
WEFT_REFUSAL(MaskFits,
             "index: a mask must have the extents of the axes that it stands for, and its result a size: "
             "index(x, bounded<16>(mask))");

namespace detail {

template <class Op, IndexFault F, class... What>
constexpr bool refuse_index() {
  static_assert(sizeof(IndexAxesExist < F != IndexFault::axes && F != IndexFault::rank, Op, What... >) > 0);
  static_assert(sizeof(OneEllipsis<F != IndexFault::ellipses, Op, What...>) > 0);
  static_assert(sizeof(PlaceInAxis < F != IndexFault::outside && F != IndexFault::step, Op, What... >) > 0);
  static_assert(sizeof(IndicesBroadcast<F != IndexFault::indices, Op, What...>) > 0);
  static_assert(sizeof(MaskFits<F != IndexFault::mask, Op, What...>) > 0);
  return F == IndexFault::none;
}

// A spec that takes the next operand: indices, or a mask.
struct IndexOperand {};
template <i64 Capacity>
struct MaskOperand {};

template <class... A>
struct TypeList {};

// Specs in which operands have their types.
template <class Done, class Specs, class Operands>
struct resolve_specs;
template <class... D>
struct resolve_specs<TypeList<D...>, TypeList<>, TypeList<>> {
  using type = TypeList<D...>;
};
template <class... D, class S, class... Rest, class... O>
struct resolve_specs<TypeList<D...>, TypeList<S, Rest...>, TypeList<O...>>
    : resolve_specs<TypeList<D..., S>, TypeList<Rest...>, TypeList<O...>> {};
template <class... D, class... Rest, class O, class... More>
struct resolve_specs<TypeList<D...>, TypeList<IndexOperand, Rest...>, TypeList<O, More...>>
    : resolve_specs<TypeList<D..., TensorSpec<std::conditional_t<is_expr<O>, dtype_of_operand<O>, i64>,
                                              shape_of_operand<O>>>,
                    TypeList<Rest...>, TypeList<More...>> {};
template <class... D, i64 Capacity, class... Rest, class O, class... More>
struct resolve_specs<TypeList<D...>, TypeList<MaskOperand<Capacity>, Rest...>, TypeList<O, More...>>
    : resolve_specs<TypeList<D..., MaskSpec<Capacity, shape_of_operand<O>>>, TypeList<Rest...>,
                    TypeList<More...>> {};

template <class X, class Resolved>
struct rule_of_specs;
template <class X, class... S>
struct rule_of_specs<X, TypeList<S...>> {
  using type = index_rule<X, S...>;
};
template <class X, class Specs, class... O>
using index_rule_for =
    typename rule_of_specs<X, typename resolve_specs<TypeList<>, Specs, TypeList<O...>>::type>::type;

// What an operand indexes by: a mask's true places, or itself.
template <class Spec, class I>
constexpr ir::Value index_value_of(ir::Builder& b, Spec, const I& operand) {
  return as_value<std::conditional_t<is_expr<I>, dtype_of_operand<I>, i64>>(b, operand);
}
template <i64 Capacity, class I>
constexpr ir::Value index_value_of(ir::Builder& b, MaskOperand<Capacity>, const I& mask) {
  return true_places(b, mask.value, Capacity);
}
template <class S>
inline constexpr bool takes_operand = std::is_same_v<S, IndexOperand>;
template <i64 Capacity>
inline constexpr bool takes_operand<MaskOperand<Capacity>> = true;
template <std::size_t K, class First, class... Rest>
constexpr auto taking_spec(TypeList<First, Rest...>) {
  if constexpr (!takes_operand<First>)
    return taking_spec<K>(TypeList<Rest...>{});
  else if constexpr (K > 0)
    return taking_spec<K - 1>(TypeList<Rest...>{});
  else
    return First{};
}
// Operands in order, each with the spec that takes it.
template <class... Spec, class... I>
constexpr void index_values(ir::Builder& b, TypeList<Spec...>, ir::Value* out, const I&... operand) {
  const std::tuple<const I&...> all{operand...};
  int next = 0;
  const auto one = [&]<class S, std::size_t K>(S spec, std::integral_constant<std::size_t, K>) {
    out[next++] = index_value_of(b, spec, std::get<K>(all));
  };
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (one(taking_spec<K>(TypeList<Spec...>{}), std::integral_constant<std::size_t, K>{}), ...);
  }
  (std::index_sequence_for<I...>{});
}

// One index into the joined axes from one into each, an impossible one where any is outside.
constexpr ir::Value joined_index(const ir::Value* index, int count, const i64* extent, const Dims& shape) {
  i64 size = 1;
  for (int k = 0; k < count; ++k) size *= extent[k];
  ir::Value total, inside;
  for (int k = 0; k < count; ++k) {
    ir::Value i = ir::broadcast(ir::cast(index[k], DType::i64), shape);
    const ir::Value zero = ir::constant_like(i, 0);
    i = ir::select(ir::binary(ir::Op::lt, i, zero), i + static_cast<double>(extent[k]), i);
    const ir::Value in =
        ir::binary(ir::Op::bit_and, ir::binary(ir::Op::le, zero, i),
                   ir::binary(ir::Op::lt, i, ir::constant_like(i, static_cast<double>(extent[k]))));
    total = total ? total * static_cast<double>(extent[k]) + i : i;
    inside = inside ? ir::binary(ir::Op::bit_and, inside, in) : in;
  }
  return ir::select(inside, total, ir::constant_like(total, static_cast<double>(size)));
}

// Whether an index is a number that is no place of its axis.
constexpr bool is_outside(const IndexPlan& p, const ir::Value* index) {
  for (int k = 0; k < p.tensors; ++k) {
    if (p.masked || !index[k].is_constant()) continue;
    const double place = index[k].constant(), extent = static_cast<double>(p.basic.extent[p.axis[k]]);
    if (place < -extent || place >= extent) return true;
  }
  return false;
}
constexpr ir::Value index_value(ir::Value x, const IndexPlan& p, const ir::Value* index) {
  ir::Value v = ir::reshape(ir::slice(x, p.slices, p.sliced), p.basic);
  if (p.tensors == 0) return v;
  const Dims d = p.basic;
  i64 extent[8]{};
  for (int k = 0; k < p.tensors; ++k) extent[k] = d.extent[p.axis[k]];
  int first = p.axis[0];
  Dims merged;  // the indexed axes as one
  if (p.front) {
    i64 order[8]{};
    int n = 0;
    for (int k = 0; k < p.tensors; ++k) order[n++] = p.axis[k];
    for (int k = 0, next = 0; k < d.rank; ++k) {
      if (next < p.tensors && p.axis[next] == k)
        ++next;
      else
        order[n++] = k;
    }
    v = ir::permute(v, order);
    first = 0;
  }
  const Dims from = v.dims();
  for (int k = 0; k < from.rank; ++k) {
    if (k > first && k < first + p.tensors)
      merged.extent[merged.rank - 1] *= from.extent[k];
    else
      merged.extent[merged.rank++] = from.extent[k];
  }
  v = ir::reshape(v, merged);
  const ir::Value i = p.tensors == 1 ? ir::broadcast(as_index(index[0]), p.joined)
                                     : joined_index(index, p.tensors, extent, p.joined);
  const ir::Value taken = ir::take_along_axis(v, along(i, merged, first), first, p.masked);
  return ir::reshape(taken, p.result);
}

}  // namespace detail

template <class... Spec>
struct IndexOp : Operation<IndexOp<Spec...>> {
  template <ExprLike X, class... I>
  static constexpr auto apply(ir::Builder& b, const X& x, const I&... operand) {
    using Rule = detail::index_rule_for<typename X::shape, detail::TypeList<Spec...>, I...>;
    constexpr bool ok = detail::refuse_index<IndexOp, Rule::plan.fault, typename X::shape>();
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (!ok) {
      return detail::refused<typename R::dtype, typename R::shape>(x);
    } else {
      ir::Value values[sizeof...(I) + 1]{};
      detail::index_values(b, detail::TypeList<Spec...>{}, values, operand...);
      if (detail::is_outside(Rule::plan, values)) return detail::without_value<R>(b, ir::Valueless::no_place);
      return R{detail::index_value(x.value, Rule::plan, values)};
    }
  }
};

// What: the value's shape, then that of the places.
WEFT_REFUSAL(ValueFitsPlaces,
             "index_put: the shape of the value does not broadcast to that of the places; the value stands "
             "before them, index_put(x, value, i), index_put(x, 0, at<2>)");
// x with `value` at what index(x, ...) would give; Add: added to what is there.
template <bool Add, class... Spec>
struct IndexPutOp : Operation<IndexPutOp<Add, Spec...>> {
  template <ExprLike X, class V, class... I>
  static constexpr auto apply(ir::Builder& b, const X& x, const V& value, const I&... operand) {
    using Rule = detail::index_rule_for<typename X::shape, detail::TypeList<Spec...>, I...>;
    constexpr bool ok = detail::refuse_index<IndexPutOp, Rule::plan.fault, typename X::shape>();
    using S = shape_of<Rule>;
    constexpr bool fits = broadcastable(shape_of_operand<V>::value, S::value) &&
                          broadcast(shape_of_operand<V>::value, S::value) == S::value;
    static_assert(sizeof(ValueFitsPlaces<fits, IndexPutOp, shape_of_operand<V>, S>) > 0);
    if constexpr (!ok || !fits) {
      return x;
    } else {
      // the places of all elements, counted from 1 so that 0 is none
      constexpr i64 size = X::shape::size;
      const ir::Value count{&b, b.leaf(ir::Op::iota, DType::i64, Shape<size>::value, 0)};
      const Expr<i64, typename X::shape> places{ir::reshape(count + 1.0, X::shape::value)};
      const ir::Value found = IndexOp<Spec...>::apply(b, places, operand...).value;
      const ir::Value none = ir::constant_like(found, 0);
      const ir::Value at = ir::select(ir::binary(ir::Op::eq, found, none),
                                      ir::constant_like(found, static_cast<double>(size)), found - 1.0);
      const Dims flat = Shape<S::size>::value;
      const ir::Value v = ir::reshape(
          ir::broadcast(detail::written<IndexPutOp, typename X::dtype>(b, value), S::value), flat);
      const ir::Value line = ir::reshape(x.value, Shape<size>::value), i = ir::reshape(at, flat);
      const ir::Value r = Add ? detail::scatter_fold(line, i, v, 0, Reduction::sum, true)
                              : detail::scatter_set(line, i, v, 0);
      return X{ir::reshape(r, X::shape::value)};
    }
  }
};

namespace detail {

// The operand of a spec, and what stands for it among the specs.
template <class A>
constexpr auto index_operand(const A& a) {
  if constexpr (Operand<A>)
    return std::tuple<A>{a};
  else
    return std::tuple<>{};
}
template <i64 Capacity, class M>
constexpr auto index_operand(const Bounded<Capacity, M>& a) {
  return std::tuple<M>{a.mask};
}
template <class A>
struct SpecOf {
  using type = std::conditional_t<Operand<A>, IndexOperand, A>;
};
template <i64 Capacity, class M>
struct SpecOf<Bounded<Capacity, M>> {
  using type = MaskOperand<Capacity>;
};

}  // namespace detail

template <class X, class... A>
constexpr auto index(const X& x, const A&... a) {
  return std::apply(
      [&](const auto&... operand) { return IndexOp<typename detail::SpecOf<A>::type...>{}(x, operand...); },
      std::tuple_cat(detail::index_operand(a)...));
}
WEFT_REFUSAL(
    PlacesAreTensor,
    "an index is a tensor of integers, a traced integer, or one of at<2>, range<0, 4>, every: of single "
    "rows write index(x, i) with an input in<i64, 2> i, or stack<0>(select<0, 0>(x), select<0, 2>(x))");
template <class X, class... A>
constexpr auto index(const X& x, std::initializer_list<int>, const A&...) {
  static_assert(sizeof(PlacesAreTensor<sizeof(X) == 0, X>) > 0);
  return x;
}
// index_put(x, value, every, tensor): x with value written there; index_put<true>: added, equal places in
// order.
template <bool Accumulate = false, class X, class V, class... A>
constexpr auto index_put(const X& x, const V& value, const A&... a) {
  return std::apply(
      [&](const auto&... operand) {
        return IndexPutOp<Accumulate, typename detail::SpecOf<A>::type...>{}(
            x, detail::fitting<detail::dtype_in_type<X>>(value), operand...);
      },
      std::tuple_cat(detail::index_operand(a)...));
}

}  // namespace WEFT_NAMESPACE
