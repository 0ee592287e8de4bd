#pragma once
// vmap: a function of one sample as a function of many. vmap(f)(x, ...) takes the samples of every tensor
// along its first axis and stacks the results. Law: vmap(f)(x)[i] is f(x[i]); it is traced once, and no rule
// but those of transforms/vmap_rules.hpp makes the difference. Random numbers are drawn anew for every
// sample.

#include "weft/ops/transform/loop.hpp"
#include "weft/transforms/decompose_attention.hpp"
#include "weft/transforms/vmap_rules.hpp"

namespace WEFT_NAMESPACE {

// In place of an axis: the argument is the same for every sample.
inline constexpr int unmapped = -1000;

template <class F, int... Axes>
struct Vmap;

WEFT_REFUSAL(BatchesAgree,
             "vmap: every tensor has an axis of samples (the first, unless vmap<axis, unmapped, ...> says "
             "otherwise), of one extent for all, and at least one argument is mapped");
WEFT_REFUSAL(MappedCapturesNothing, "vmap: a function that is applied to run-time tensors captures nothing");
WEFT_REFUSAL(AxesMatchArguments, "vmap: name one axis, or `unmapped`, for each argument of the function");
WEFT_REFUSAL(
    AxisIsOfTensor,
    "vmap: an axis is named for a model or a number, which has none and is the same for all samples: "
    "write `unmapped` in its place; models with a parameter for each sample are tensors, "
    "nn::parameters_to_vector(m), of which nn::vector_to_parameters(v, m) makes one in the function");

namespace detail {

template <class S, int Axis>
struct sample_rule {
  static constexpr bool ok = axis_in_range(Axis, S::rank);
  static constexpr int axis = ok ? normalize_axis(Axis, S::rank) : 0;
  static constexpr i64 samples = ok ? S::value.extent[axis] : -1;
  static constexpr Dims make() {
    Dims d;
    for (int k = 0; k < S::rank; ++k)
      if (!ok || k != axis) d.extent[d.rank++] = S::value.extent[k];
    return d;
  }
  static constexpr Dims value = make();
};

// What kind of argument A is: mapped along Axis, or handed on as it is.
template <class A, int Axis>
inline constexpr bool is_mapped = Axis != unmapped && (ExprLike<A> || is_lazy<A> || TensorLike<A>);
template <class A>
struct sampled {
  using type = decltype(traced(std::declval<ir::Builder&>(), std::declval<const A&>()));
};
template <TensorLike A>
struct sampled<A> {
  using type = Expr<typename A::dtype, typename A::shape>;
};
template <class A>
using entered_type = std::remove_cvref_t<typename sampled<A>::type>;
template <class A, int Axis>
constexpr i64 samples_of() {
  if constexpr (is_mapped<A, Axis>)
    return sample_rule<typename entered_type<A>::shape, Axis>::samples;
  else
    return -2;
}
// -1: they differ, or nothing is mapped.
constexpr i64 common_samples(std::initializer_list<i64> each) {
  i64 found = -2;
  for (const i64 n : each) {
    if (n == -2) continue;
    if (n < 0 || (found >= 0 && n != found)) return -1;
    found = n;
  }
  return found < 0 ? -1 : found;
}

// The builder in which one sample is traced, and what its inputs are outside.
struct SampleTrace {
  ir::Builder& b;
  ir::Builder body{64};
  List<transforms::VmapItem> inputs;

  constexpr explicit SampleTrace(ir::Builder& around) : b(around) {
    body.parent = &b;
    b.inner = &body;
    body.graph.scalar_count = b.graph.scalar_count;
    body.graph.streams = b.graph.streams;
    if (b.graph.key_input >= 0) {  // loops inside draw by the key of the loop around
      body.graph.key_input = 0;
      input({&b, b.graph.inputs[b.graph.key_input]}, false, Shape<4>::value);
    }
  }
  constexpr ir::Value input(ir::Value all, bool mapped, const Dims& sample) {
    const int made = body.leaf(ir::Op::input, all.dtype(), sample, static_cast<u64>(inputs.size()));
    body.graph.inputs.push(made);
    body.outer.push(-1);
    inputs.push({all, mapped});
    return {&body, made};
  }
  template <int Axis, class A>
  constexpr auto enter(const A& a) {
    if constexpr (!is_mapped<A, Axis> && draws<A>) {  // one for all samples
      return traced(b, a);
    } else if constexpr (!is_mapped<A, Axis>) {
      return a;
    } else {
      const auto e = traced(b, a);
      using E = std::remove_cvref_t<decltype(e)>;
      using Rule = sample_rule<typename E::shape, Axis>;
      const ir::Value all = transforms::vmapping::move_axis(e.value, Rule::axis, 0);
      return Expr<typename E::dtype, shape_of<Rule>>{input(all, true, Rule::value)};
    }
  }
  // The results for all samples, in the order in which they were put out.
  constexpr List<ir::Value> finish(i64 samples) {
    b.inner = nullptr;
    b.graph.streams = body.graph.streams;
    for (int k = inputs.size(); k < body.outer.size(); ++k) inputs.push({{&b, body.outer[k]}, false});
    List<ir::Value> out;
    const ir::Graph sample = transforms::decompose_attention(static_cast<ir::Graph&&>(body.graph));
    for (const transforms::VmapItem& x : transforms::Vmapper(b, sample, samples).run(inputs)) {
      const Dims one = x.value.dims();
      out.push(x.mapped ? x.value : ir::broadcast(x.value, ir::stacked_dims(samples, one)));
    }
    return out;
  }
};

// One sample of an argument, as the function sees it.
template <class A, int Axis>
struct sample {
  using type = A;
};
template <class A, int Axis>
requires is_mapped<A, Axis>
struct sample<A, Axis> {
  using all = entered_type<A>;
  using type = Expr<typename all::dtype, shape_of<sample_rule<typename all::shape, Axis>>>;
};

template <int Axis, class A>
constexpr auto lone_sample(ir::Builder& alone, const A& a) {
  using S = typename sample<A, Axis>::type;
  if constexpr (is_mapped<A, Axis>) {
    const int made = alone.leaf(ir::Op::input, dtype_of<typename S::dtype>, S::shape::value,
                                static_cast<u64>(alone.graph.inputs.size()));
    alone.graph.inputs.push(made);
    alone.outer.push(-1);
    return S{ir::Value{&alone, made}};
  } else {
    return a;
  }
}

// What an argument is in a lazy tree: models and the like are held.
template <class A>
using held_type = std::conditional_t<Operand<A>, A, Held<A>>;

// Of literals and run-time tensors alone: waits for the trace that its values join. `Which` of the results,
// or -1: the only one.
template <int Which, int... Axis>
struct VmapLater {
  using weft_draws = void;  // the function may

  template <class F, class... A>
  static constexpr auto apply(ir::Builder&, const Held<F>& f, const A&... a) {
    const auto open = [](const auto& x) -> const auto& {
      if constexpr (is_held<std::remove_cvref_t<decltype(x)>>)
        return x.value;
      else
        return x;
    };
    const auto all = Vmap<F, Axis...>{f.value}(open(a)...);
    if constexpr (Which < 0)
      return all;
    else
      return std::get<static_cast<std::size_t>(Which)>(all);
  }
};

}  // namespace detail

// The function that vmap returns.
template <class F, int... Axes>
struct Vmap {
  using weft_transform = void;
  F f;

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr bool counted = sizeof...(Axes) == 0 || sizeof...(Axes) == sizeof...(A);
    static_assert(sizeof(AxesMatchArguments<counted, Vmap, A...>) > 0);
    if constexpr (counted && sizeof...(Axes) > 0)
      static_assert(
          sizeof(
              AxisIsOfTensor<((detail::is_mapped<A, Axes> || Axes == unmapped || is_after_refusal<A>)&&...),
                             Vmap, A...>) > 0);
    if constexpr (!counted)
      return detail::first_expr(a...);
    else if constexpr (sizeof...(Axes) == 0)
      return call(std::integer_sequence<int, (static_cast<void>(sizeof(A)), 0)...>{}, a...);
    else
      return call(std::integer_sequence<int, Axes...>{}, a...);
  }

 private:
  template <int Which, int... Axis, class... A>
  constexpr auto later(const A&... a) const {
    return Lazy<detail::VmapLater<Which, Axis...>, Held<F>, detail::held_type<A>...>{{{f}, {a}...}};
  }
  template <int... Axis, std::size_t... K, class... A>
  constexpr auto later_each(std::index_sequence<K...>, const A&... a) const {
    return std::tuple{later<static_cast<int>(K), Axis...>(a...)...};
  }
  // Whose values the function captures: it is tried on a sample that belongs to no trace.
  template <int... Axis, class... A>
  constexpr ir::Builder* trace_around(const A&... a) const {
    ir::Builder alone(64);
    alone.finds_parent = true;
    f(detail::lone_sample<Axis>(alone, a)...);
    if (!alone.parent)
      throw Error("ops/vmap", "all arguments are literals, and what the function captures is of no trace");
    return alone.parent;
  }
  template <int... Axis, class... A>
  constexpr auto call(std::integer_sequence<int, Axis...>, const A&... a) const {
    constexpr i64 samples = detail::common_samples({detail::samples_of<A, Axis>()...});
    static_assert(sizeof(BatchesAgree<(samples >= 0), Vmap, A...>) > 0);
    constexpr bool immediate = !(ExprLike<A> || ...) && (TensorLike<A> || ...);
    static_assert(sizeof(MappedCapturesNothing < !immediate || std::is_empty_v<F>, Vmap, A... >) > 0);
    if constexpr (samples >= 0 && !(ExprLike<A> || ...) && (immediate || std::is_empty_v<F>)) {
      using Result = decltype(f(std::declval<const typename detail::sample<A, Axis>::type&>()...));
      if constexpr (TupleLike<Result>)
        return later_each<Axis...>(std::make_index_sequence<std::tuple_size_v<Result>>{}, a...);
      else
        return later<-1, Axis...>(a...);
    } else if constexpr (samples >= 0) {
      ir::Builder* found = nullptr;
      ((found = detail::inner_of(found, detail::builder_of(a))), ...);
      if constexpr (!(ExprLike<A> || ...)) found = trace_around<Axis...>(a...);
      detail::SampleTrace trace(found->innermost());
      const std::tuple<decltype(trace.template enter<Axis>(a))...> sample{trace.template enter<Axis>(a)...};
      const auto result =
          std::apply([&](const auto&... x) { return detail::body_of<Vmap>(f, x...); }, sample);
      const auto put_out = [&](const auto& e) {
        const auto inside = detail::traced(trace.body, e);
        trace.body.graph.outputs.push(inside.value.id);
        return inside;
      };
      const auto one = detail::map_values(result, put_out);
      const List<ir::Value> all = trace.finish(samples);
      int k = 0;
      const auto stacked = [&]<class E>(const E&) {
        return Expr<typename E::dtype, shape_of<detail::stack_rule_of<samples, typename E::shape>>>{all[k++]};
      };
      return detail::map_values(one, stacked);
    } else {
      return detail::first_expr(a...);
    }
  }
};

// vmap(f): f for every sample, along the first axis of each tensor; numbers and models are handed on as they
// are. vmap<0, unmapped>(f): the second argument is the same for all. What f uses of the enclosing function
// is the same for all, too. f returns an expression or a tuple; results have the samples first.
template <int... Axes, class F>
constexpr auto vmap(const F& f) {
  return Vmap<F, Axes...>{f};
}
// A refusal.
template <int... Axes, class F, class X, class... A>
constexpr auto vmap(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::vmap, X, A...>) > 0);
  return detail::first_expr(x);
}

}  // namespace WEFT_NAMESPACE
