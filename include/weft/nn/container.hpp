#pragma once
// Modules made of modules, and those without state: Sequential, Identity, Flatten, Unflatten, Frozen.

#include "weft/nn/param.hpp"
#include "weft/nn/stateless.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"

namespace WEFT_NAMESPACE::nn {

// Layers applied one after another; their parameters are named "0.weight", "1.weight", ... as PyTorch's. A
// layer is a module, or any function object of one expression. Settings in braces, in the layers' order:
// Sequential<Linear<4, 8>, Dropout> net{{}, {.p = 0.2f}}, or sequential(Linear<4, 8>{}, Dropout{.p = 0.2f}).
WEFT_REFUSAL(
    LayerIsByNumber,
    "the layers of a Sequential are of different types: the first of net is std::get<0>(net.layers)");
WEFT_REFUSAL(
    LayerHasNoBase,
    "nn::Sequential: a layer without members has no base class, as g++ 12 misplaces what lies behind it in a "
    "std::tuple: write the layer as a struct of its own, or the model as a struct with named members");
WEFT_REFUSAL(LayerIsType,
             "nn::Sequential: the layers in <> are types, and settings come in braces: write "
             "nn::Sequential<nn::Linear<8, 16>, nn::ReLU> in place of nn::ReLU()");
WEFT_REFUSAL(
    SequenceOfOne,
    "nn::Sequential hands one value from layer to layer: what takes or gives several is called by the model "
    "itself: auto [y, state] = lstm(x), decoder(tgt, memory)");
WEFT_REFUSAL(LayerHasCall,
             "nn::Sequential: a layer is called by its operator(): write constexpr auto operator()(auto x) "
             "const in place of forward");
// Whether M has nothing but a base class without members.
template <class M>
inline constexpr bool is_empty_with_base = std::is_empty_v<M>&& std::is_aggregate_v<M>&& requires {
  M{{}};
}
&&!requires(M layer) { layer.stateless; };
template <class... M>
struct Sequential;
template <class... M>
requires((std::is_function_v<M> || ...)) struct Sequential<M...> : AfterRefusal {
  static_assert(sizeof(LayerIsType<sizeof...(M) == 0, M...>) > 0);
};
template <class... M>
struct Sequential {
  static_assert(sizeof(LayerHasNoBase<!(is_empty_with_base<M> || ...), M...>) > 0);
  std::tuple<M...> layers{};

  constexpr Sequential() = default;
  constexpr Sequential(const M&... layer) requires(sizeof...(M) > 0) : layers(layer...) {}
  constexpr explicit Sequential(const std::tuple<M...>& all) requires(sizeof...(M) > 0) : layers(all) {}

  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const { return run(to_expr(x), std::index_sequence_for<M...>{}); }
  template <class X, class... A>
  requires(sizeof...(A) > 0) constexpr auto operator()(const X& x, const A&...) const {  // a refusal
    static_assert(sizeof(SequenceOfOne<sizeof(X) == 0, Sequential, X, A...>) > 0);
    return weft::detail::first_expr(x);
  }
  template <class I>
  constexpr AfterRefusal operator[](const I&) const {  // a refusal
    static_assert(sizeof(LayerIsByNumber<sizeof(I) == 0, I>) > 0);
    return {};
  }

 private:
  // A value and the layers it went through, in a fold and not a recursion: the compiler's trail from the last
  // layer to the user's line is as short as from the first.
  template <class X>
  struct Passed {
    X x;
    template <class Layer>
    constexpr auto operator>>(const Layer& layer) const {
      constexpr bool called = !std::is_class_v<Layer> || weft::detail::HasCall<Layer>;
      static_assert(sizeof(LayerHasCall<called, Layer, X>) > 0);
      if constexpr (!called) {
        return *this;
      } else {
        using Y = std::remove_cvref_t<decltype(layer(x))>;
        static_assert(sizeof(SequenceOfOne<!is_tuple_like<Y>, Layer, X>) > 0);
        if constexpr (is_tuple_like<Y>)
          return *this;
        else
          return passed(to_expr(layer(x)));
      }
    }
  };
  template <class X>
  static constexpr Passed<X> passed(const X& x) {
    return {x};
  }
  template <std::size_t... I>
  constexpr auto run(const auto& x, std::index_sequence<I...>) const {
    return (passed(x) >> ... >> std::get<I>(layers)).x;
  }
};

// A Sequential of these layers, settings and all.
template <class... M>
constexpr Sequential<M...> sequential(const M&... layers) {
  return Sequential<M...>(layers...);
}

template <class T>
inline constexpr bool is_sequential = false;
template <class... M>
inline constexpr bool is_sequential<Sequential<M...>> = true;

// Parts whose members are named as if the module that holds the parts had them itself. A part with a
// `member_suffix()` has that behind each of its members' names: a recurrent layer's "weight_ih" becomes
// "weight_ih_l0_reverse".
template <class... M>
struct Spliced {};
template <class M, class... Rest>
struct Spliced<M, Rest...> {
  M first{};
  Spliced<Rest...> rest{};

  template <int I>
  constexpr const auto& part() const {
    if constexpr (I == 0)
      return first;
    else
      return rest.template part<I - 1>();
  }
};
template <class T>
inline constexpr bool is_spliced = false;
template <class... M>
inline constexpr bool is_spliced<Spliced<M...>> = true;

// A member that a setting leaves out: no state, no name.
struct Absent {};

// x -> x
struct Identity {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const { return to_expr(x); }
};

namespace module_detail {
template <class S, int First, int Last>
struct flatten_rule {
  static constexpr Dims make() {
    constexpr int first = normalize_axis(First, S::rank), last = normalize_axis(Last, S::rank);
    Dims d;
    for (int i = 0; i < S::rank; ++i) {
      if (i > first && i <= last)
        d.extent[d.rank - 1] *= S::value.extent[i];
      else
        d.extent[d.rank++] = S::value.extent[i];
    }
    return d;
  }
  static constexpr Dims value = make();
};
}  // namespace module_detail

// The axes First to Last as one, row-major.
template <int First = 1, int Last = -1>
struct Flatten {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    using X = std::remove_cvref_t<decltype(e)>;
    constexpr int rank = X::rank;
    constexpr bool ok = axis_in_range(First, rank) && axis_in_range(Last, rank) &&
                        normalize_axis(First, rank) <= normalize_axis(Last, rank);
    static_assert(sizeof(AxisInRange<ok, Flatten, GivenAxis<First>, GivenAxis<Last>, typename X::shape>) > 0);
    if constexpr (ok) {
      using Rule = module_detail::flatten_rule<typename X::shape, First, Last>;
      return Expr<typename X::dtype, shape_of<Rule>>{ir::reshape(e.value, Rule::value)};
    } else {
      return e;
    }
  }
};

// One axis as several, row-major: Unflatten<1, 2, -1>; one -1 is worked out.
template <int Axis, i64... To>
struct Unflatten {
  [[no_unique_address]] module_detail::Stateless stateless{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const { return unflatten<Axis, To...>(to_expr(x)); }
};

// Keeps gradients from the parameters of a module; defined in walk.hpp.
template <class M>
constexpr void detach(M& part);

// A module or parameter that is saved but not trained (PyTorch's requires_grad=False). Names are those of
// `inner` itself: Frozen<Linear<4, 8>> fc is "fc.weight", "fc.bias".
template <class M>
struct Frozen {
  M inner{};  // its parameters are body.inner.weight

  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto&... x) const {
    M held = inner;
    detach(held);
    return held(x...);
  }
  constexpr auto expr() const requires requires { inner.expr(); }
  { return inner.expr(); }
};

// frozen(m.body)(x) in a model or a loss: what the module gives, with no gradient to its parameters from this
// use; x gets its own. frozen(Linear<4, 8>{}): a layer that is not trained at all.
template <class M>
constexpr Frozen<M> frozen(const M& part) {
  Frozen<M> r{part};
  if constexpr (is_state<M>) {
    if constexpr (M::trained) r.inner.detached = true;
  }
  return r;
}

template <class T>
inline constexpr bool is_frozen = false;
template <class M>
inline constexpr bool is_frozen<Frozen<M>> = true;

}  // namespace WEFT_NAMESPACE::nn
