#pragma once
// grad: derivatives inside a traced function. grad(f)(x, ...) is a function of the same arguments that
// returns the gradient of f's scalar result; it nests, because gradients are made of the same primitives as
// everything else. Law: f sees its arguments as independent variables, whatever they were computed from.

#include "weft/ops/core/expr.hpp"
#include "weft/transforms/differentiate.hpp"

namespace WEFT_NAMESPACE {

// What: the shape and the dtype of the function's result.
WEFT_REFUSAL(
    LossIsScalar,
    "grad: the function must return one floating-point number: reduce its result, with sum(...) say");
WEFT_REFUSAL(ArgumentIsFloating,
             "grad: the argument to differentiate by must be a floating-point tensor of the traced function");

// A model as an argument; nn/gradient.hpp says what one is.
template <class A>
struct ModelArgument {
  static constexpr bool is_model = false;
};

namespace detail {

// A variable of its own for f: the same value under another node, which pruning removes again.
constexpr ir::Value variable_of(ir::Value x) {
  ir::Builder& b = x.builder->innermost();
  const ir::Value inside{&b, b.import(*x.builder, x.id)};
  ir::Node node{ir::Op::cast, inside.dtype()};
  node.shape = inside.node().shape;
  node.imm = static_cast<u64>(b.graph.nodes.size());
  const int operand[1]{inside.id};
  return {&b, b.add(node, operand, 1)};
}
template <class A>
constexpr auto variable(const A& a) {
  const auto e = to_expr(a);
  return std::remove_cvref_t<decltype(e)>{variable_of(e.value)};
}

constexpr bool is_among(int k, std::initializer_list<int> list) {
  for (int i : list)
    if (i == k) return true;
  return false;
}

// Arguments that are not differentiated by pass through as they are; the others' nodes are written down.
template <int K, int... Args, class A>
constexpr auto isolated(const A& a, List<int>& nodes) {
  if constexpr (!is_among(K, {Args...})) {
    return a;
  } else if constexpr (ModelArgument<A>::is_model) {
    return ModelArgument<A>::variables(a, nodes);
  } else {
    constexpr bool ok = [] {
      if constexpr (ExprLike<A>)
        return is_float(dtype_of<typename expr_of<A>::dtype>);
      else
        return false;
    }();
    static_assert(sizeof(ArgumentIsFloating<ok, A>) > 0);
    if constexpr (ok) {
      const auto v = variable(a);
      nodes.push(v.value.id);
      return v;
    } else {
      return a;
    }
  }
}

// The same of tensors alone.
template <int K, int... Args, class A>
constexpr auto isolated(const A& a) {
  static_assert(sizeof(ArgumentIsFloating<!ModelArgument<A>::is_model, A>) > 0);
  List<int> nodes;
  return isolated<K, Args...>(a, nodes);
}

}  // namespace detail

WEFT_REFUSAL(
    GradientArgument,
    "grad<k>(f): f is called without an argument k: they are counted from 0, and grad(f) is by the first");

WEFT_REFUSAL(
    GradientIsCompiled,
    "grad, value_and_grad: gradients are made while a function is traced, and an argument is a run-time "
    "tensor: compile(Cpu{}, [](auto w, auto x) { return grad(f)(w, x); }, in<f32, 3>, in<f32, 3>)");

// The function that grad and value_and_grad return.
WEFT_REFUSAL(GradientOfNumber,
             "grad, value_and_grad: the function returns several results, and a gradient is of one number: "
             "return the loss alone, and mark the others by probe<\"name\">(x)");
template <bool WithValue, class F, int... Args>
struct GradientOf {
  using weft_transform = void;
  F f;

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr bool exist = ((Args >= 0 && Args < static_cast<int>(sizeof...(A))) && ...);
    static_assert(sizeof(GradientArgument<exist, GradientOf, GivenInput<Args>..., A...>) > 0);
    constexpr bool traced = !(TensorLike<A> || ...);
    static_assert(sizeof(GradientIsCompiled<traced, GradientOf, A...>) > 0);
    if constexpr (!traced)
      return AfterRefusal{};
    else if constexpr (exist)
      return call(std::index_sequence_for<A...>{}, a...);
    else
      return detail::first_expr(a...);
  }

 private:
  template <std::size_t... K, class... A>
  constexpr auto call(std::index_sequence<K...>, const A&... a) const {
    List<int> nodes, begin;  // of all variables, and where those of each argument begin
    const std::tuple variables{
        (begin.push(nodes.size()), detail::isolated<static_cast<int>(K), Args...>(a, nodes))...};
    const auto given = detail::body_of<GradientOf>(f, std::get<K>(variables)...);
    constexpr bool tuple = is_tuple_like<std::remove_cvref_t<decltype(given)>>;
    static_assert(sizeof(GradientOfNumber<!tuple, GradientOf>) > 0);
    const auto loss = [&] {
      if constexpr (tuple)
        return detail::first_expr(a...);
      else
        return to_expr(given);
    }();
    using L = std::remove_cvref_t<decltype(loss)>;
    constexpr bool ok = tuple || (L::rank == 0 && is_float(dtype_of<typename L::dtype>));
    static_assert(sizeof(LossIsScalar<ok, GradientOf, typename L::shape, typename L::dtype>) > 0);
    List<ir::Value> found;
    if constexpr (ok && !tuple)
      found = transforms::differentiate(loss.value, ir::constant_like(loss.value, 1), nodes);
    // where no gradient flows it is zero
    const auto result = [&]<class X>(const X& x, int next) {
      if constexpr (ModelArgument<X>::is_model)
        return ModelArgument<X>::gradients(x, found, next);
      else if constexpr (is_expr<X>)
        return X{next < found.size() && found[next] ? found[next] : ir::constant_like(x.value, 0)};
      else
        return x;
    };
    if constexpr (WithValue)
      return std::tuple{loss, result(std::get<Args>(variables), begin[Args])...};
    else if constexpr (sizeof...(Args) == 1)
      return (result(std::get<Args>(variables), begin[Args]), ...);
    else
      return std::tuple{result(std::get<Args>(variables), begin[Args])...};
  }
};

// grad(f)(x, ...): the gradient with respect to the first argument; grad<0, 2>(f): a tuple, one a named
// argument.
template <int... Args, class F>
constexpr auto grad(const F& f) {
  if constexpr (sizeof...(Args) == 0)
    return GradientOf<false, F, 0>{f};
  else
    return GradientOf<false, F, Args...>{f};
}

// As grad, but a tuple of the function's value and the gradients.
template <int... Args, class F>
constexpr auto value_and_grad(const F& f) {
  if constexpr (sizeof...(Args) == 0)
    return GradientOf<true, F, 0>{f};
  else
    return GradientOf<true, F, Args...>{f};
}

// Refusals.
template <int... Args, class F, class X, class... A>
constexpr auto grad(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::grad, X, A...>) > 0);
  return detail::first_expr(x);
}
template <int... Args, class F, class X, class... A>
constexpr auto value_and_grad(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::grad, X, A...>) > 0);
  return std::tuple{x, x};
}

}  // namespace WEFT_NAMESPACE
