#pragma once
// A model as an argument of grad and value_and_grad: its parameters are the variables, and the gradient is a
// model whose parameters stand for their gradients. Law: what is frozen, and what the function never reads,
// has a gradient of zeros.
//
//   const auto [loss, g] = value_and_grad(f)(model, x, y);   // g.fc1.weight, ...

#include "weft/nn/state_table.hpp"
#include "weft/ops/shape/concat.hpp"
#include "weft/ops/transform/grad.hpp"

namespace WEFT_NAMESPACE {

template <class M>
requires(std::is_aggregate_v<M> && !ExprLike<M> && !is_lazy<M> && !TensorLike<M> &&
         std::is_default_constructible_v<M>) struct ModelArgument<M> {
  static constexpr bool is_model = true;

  // Calls f(parameter) for each that is trained.
  template <class F>
  static constexpr void each(M& model, F&& f) {
    auto visit = [&](const nn::Unnamed& name, auto& state) {
      if constexpr (std::remove_cvref_t<decltype(state)>::trained)
        if (!name.frozen && !state.detached) f(state);
    };
    auto setting = [](nn::Mode&) {};
    nn::walk<nn::Unnamed>(model, visit, setting);
  }
  // With every parameter a variable of its own, written down in `nodes`.
  static constexpr M variables(const M& model, List<int>& nodes) {
    M own = model;
    each(own, [&](auto& p) {
      const ir::Value v = detail::variable_of(p.value());
      p.builder = v.builder;
      p.node = v.id;
      nodes.push(p.node);
    });
    return own;
  }
  // With every parameter its gradient; `next`: its place in `found`.
  static constexpr M gradients(const M& variables, const List<ir::Value>& found, int& next) {
    M result = variables;
    auto visit = [&](const nn::Unnamed& name, auto& state) {
      using State = std::remove_cvref_t<decltype(state)>;
      if constexpr (State::trained) {
        const ir::Value at = state.value();
        const bool varies = !name.frozen && !state.detached;
        ir::Value g{};
        if (varies && next < found.size()) g = found[next];
        if (varies) ++next;
        if (!g) g = ir::constant_like(at, 0);
        state.builder = g.builder;
        state.node = g.id;
      }
    };
    auto setting = [](nn::Mode&) {};
    nn::walk<nn::Unnamed>(result, visit, setting);
    return result;
  }
};

namespace nn {

namespace module_detail {
template <class S, i64... Blocks>
struct copies_rule {
  static constexpr Dims value = [] {
    Dims d{static_cast<int>(sizeof...(Blocks)), {Blocks...}};
    for (int k = 0; k < S::rank; ++k) d.extent[d.rank++] = S::value.extent[k];
    return d;
  }();
};
}  // namespace module_detail

// The trained parameters of a traced model, or of a gradient, as a tuple of expressions in the order of the
// model's names. Those of a Stack are (blocks, ...), one for all blocks.
template <i64... Blocks, class M>
constexpr auto parameters(const M& m) {
  if constexpr (is_state<M>) {
    if constexpr (!M::trained)
      return std::tuple<>{};
    else if constexpr (sizeof...(Blocks) == 0)
      return std::tuple{m.expr()};
    else
      return std::tuple{
          Expr<typename M::dtype, shape_of<module_detail::copies_rule<typename M::shape, Blocks...>>>{
              m.value()}};
  } else if constexpr (std::is_same_v<M, Mode> || is_tied<M> || is_frozen<M> || std::is_empty_v<M>) {
    return std::tuple<>{};
  } else if constexpr (is_array_like<M>) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple_cat(parameters<Blocks...>(m[K])...);
    }
    (std::make_index_sequence<std::tuple_size_v<M>>{});
  } else if constexpr (is_sequential<M>) {
    return std::apply([](const auto&... layer) { return std::tuple_cat(parameters<Blocks...>(layer)...); },
                      m.layers);
  } else if constexpr (is_stack<M>) {
    return parameters<Blocks..., M::blocks>(m.block);
  } else if constexpr (is_spliced<M>) {
    return std::tuple_cat(parameters<Blocks...>(m.first), parameters<Blocks...>(m.rest));
  } else if constexpr (std::is_class_v<M>) {
    return field_detail::FieldBind<field_count<M>()>::apply(
        m, [](auto, const auto&... member) { return std::tuple_cat(parameters<Blocks...>(member)...); });
  } else {
    return std::tuple<>{};
  }
}

WEFT_REFUSAL(
    VectorIsOfTrained,
    "nn::parameters_to_vector: the model has no trained parameter, and what is nn::Frozen has no place in "
    "the vector: take its members themselves, cat<0>(flatten<0>(m.start.inner.weight), m.start.inner.bias)");
// The same one after another in one vector, as torch.nn.utils.parameters_to_vector: a gradient's norm is
// norm<>(parameters_to_vector(g)).
template <class M>
constexpr auto parameters_to_vector(const M& m) {
  const auto all = parameters(m);
  constexpr bool some = std::tuple_size_v < std::remove_cvref_t < decltype(all) >>> 0;
  static_assert(sizeof(VectorIsOfTrained<some, M>) > 0);
  if constexpr (some)
    return std::apply(
        [](const auto&... p) { return cat<0>(reshape<std::remove_cvref_t<decltype(p)>::shape::size>(p)...); },
        all);
  else
    return AfterRefusal{};
}

}  // namespace nn
}  // namespace WEFT_NAMESPACE
