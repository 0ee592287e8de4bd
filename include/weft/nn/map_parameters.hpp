#pragma once
// A traced model with other parameters than it has: the inner step of MAML, a model from a vector. Law: the
// model that it is made of stays; gradients reach that through the new ones, which are values like any other.
//
//   const auto g = grad(loss)(m, x, y);
//   const auto fast = nn::map_parameters([](auto p, auto dp) { return p - 0.1f * dp; }, m, g);

#include "weft/nn/gradient.hpp"

namespace WEFT_NAMESPACE {
namespace nn {

WEFT_REFUSAL(
    MappedKeepType,
    "nn::map_parameters: the function gives each parameter another value of its own dtype and shape: "
    "nn::map_parameters([](auto p, auto g) { return p - 0.1f * g; }, m, g)");
WEFT_REFUSAL(
    MappedAreOne,
    "nn::map_parameters: the function comes first, then traced models of one struct: a model and its "
    "gradient, nn::map_parameters([](auto p, auto g) { return p - 0.1f * g; }, m, g)");
WEFT_REFUSAL(VectorHasParameters,
             "nn::vector_to_parameters: a vector with as many elements as the model has trained ones, all of "
             "its dtype, as nn::parameters_to_vector(m) gives them, then the model");

namespace module_detail {

// m with `values` in the place of its trained parameters, in the order of parameters(m).
template <class M>
constexpr M with_parameters(const M& m, const List<ir::Value>& values) {
  M result = m;
  int next = 0;
  auto visit = [&](const Unnamed& name, auto& state) {
    if constexpr (std::remove_cvref_t<decltype(state)>::trained) {
      if (name.frozen) return;
      state.builder = values[next].builder;
      state.node = values[next++].id;
    }
  };
  auto setting = [](Mode&) {};
  walk<Unnamed>(result, visit, setting);
  return result;
}

// What f makes of one parameter.
template <class M, class F, class P, class... More>
constexpr ir::Value mapped(const F& f, const P& p, const More&... more) {
  // within vmap it is of the trace of one sample, where it is made of one
  const auto made = [&] {
    const auto y = f(p, more...);
    if constexpr (ExprLike<std::remove_cvref_t<decltype(y)>>)
      return to_expr(y);
    else
      return weft::detail::traced(p.value.builder->innermost(), y);
  }();
  using E = std::remove_cvref_t<decltype(made)>;
  static_assert(sizeof(MappedKeepType<std::is_same_v<E, P>, M, P, E>) > 0);
  if constexpr (std::is_same_v<E, P>)
    return made.value;
  else
    return p.value;
}

}  // namespace module_detail

// The model with f(p, q...) in the place of each trained parameter p, of the model `m`; q are the same of
// `more`, models of the same struct: gradients of it, mostly. Those of a Stack are (blocks, ...), one for all
// blocks; what is frozen, and buffers, are m's.
template <class F, class M, class... More>
constexpr auto map_parameters(const F& f, const M& m, const More&... more) {
  constexpr bool fits = ModelArgument<M>::is_model && (std::is_same_v<M, More> && ...);
  static_assert(sizeof(MappedAreOne<fits, F, M, More...>) > 0);
  if constexpr (!fits) {
    return AfterRefusal{};
  } else {
    List<ir::Value> values;
    const auto all = parameters(m);
    const auto others = std::make_tuple(parameters(more)...);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      const auto add = [&]<std::size_t At>() {
        std::apply(
            [&](const auto&... other) {
              values.push(module_detail::mapped<M>(f, std::get<At>(all), std::get<At>(other)...));
            },
            others);
      };
      (add.template operator()<K>(), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(all)>>>{});
    return module_detail::with_parameters(m, values);
  }
}

// The model whose trained parameters are the elements of a vector, one after another, as
// parameters_to_vector(m) gives them (torch.nn.utils.vector_to_parameters; m itself stays).
template <class V, class M>
constexpr auto vector_to_parameters(const V& vector, const M& m) {
  using X = std::remove_cvref_t<decltype(to_expr(vector))>;
  if constexpr (is_after_refusal<X>) {
    return AfterRefusal{};
  } else {
    using All = decltype(parameters(m));
    constexpr i64 length = []<class... P>(std::tuple<P...>*) {
      return (P::shape::size + ... + 0);
    }(static_cast<All*>(nullptr));
    constexpr bool fits = []<class... P>(std::tuple<P...>*) {
      return X::rank == 1 && X::shape::size == length &&
             (std::is_same_v<typename P::dtype, typename X::dtype> && ...);
    }(static_cast<All*>(nullptr));
    static_assert(sizeof(VectorHasParameters<fits, X, M, WantedSize<length>>) > 0);
    const auto x = to_expr(vector);
    List<ir::Value> values;
    i64 at = 0;
    std::apply(
        [&](const auto&... p) {
          const auto add = [&](const Dims& d) {
            values.push(ir::reshape(ir::rows(x.value, at, d.size()), d));
            at += d.size();
          };
          (add(p.value.dims()), ...);
        },
        parameters(m));
    if constexpr (fits)
      return module_detail::with_parameters(m, values);
    else
      return AfterRefusal{};
  }
}

}  // namespace nn
}  // namespace WEFT_NAMESPACE
