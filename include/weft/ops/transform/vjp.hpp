#pragma once
// vjp and jvp: products of vectors with a function's Jacobian, from either side, of results of any shape.
// jvp is the vjp of a vjp, which is linear in its cotangent; what the first leaves unused is pruned. As
// torch.func.vjp and torch.func.jvp.

#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/loop.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(CotangentFits,
             "vjp: the last argument is the cotangent: as many expressions as the function returns, of "
             "their dtypes and shapes");
WEFT_REFUSAL(TangentsFit,
             "jvp: for every argument of the function, in their order, a tangent of its dtype and shape");

WEFT_REFUSAL(
    ArgumentsAreSeparate,
    "vjp and jvp take arguments one by one and no tuples: jvp(f)(x, dx), of two jvp(f)(x, y, dx, dy), "
    "vjp(f)(x, cotangent)");

namespace detail {

// Whether the first `Count` of A are no tuples.
template <std::size_t Count, class... A>
inline constexpr bool are_separate = [] {
  std::size_t k = 0;
  return ((k++ >= Count || !is_tuple_like<A>)&&... && true);
}();

template <class X>
constexpr List<int> nodes_of(const X& x) {
  List<int> nodes;
  const auto put = [&](const auto& e) { nodes.push(e.value.id); };
  for_each_value(x, put);
  return nodes;
}
template <class X>
constexpr auto entered(ir::Builder& b, const X& x) {
  const auto enter = [&](const auto& e) { return traced(b, e); };
  return map_values(x, enter);
}

// The gradients of sum(y * seed) by `variables`, zero where none flows: an expression, or a tuple.
template <class Y, class Seed, class V>
constexpr auto gradients_of(ir::Builder& b, const Y& y, const Seed& seed, const V& variables) {
  const List<ir::Value> found =
      transforms::differentiate(b, nodes_of(y), nodes_of(seed), nodes_of(variables));
  int k = 0;
  const auto take = [&](const auto& x) {
    const ir::Value g = found[k++];
    return std::remove_cvref_t<decltype(x)>{g ? g : ir::constant_like(x.value, 0)};
  };
  return map_values(variables, take);
}
// Of arguments that are differentiated by: a literal joins the trace that the others are of.
template <class A, class... All>
constexpr auto beside_all(const A& a, const std::tuple<const All&...>& all) {
  if constexpr (is_lazy<A> && (ExprLike<All> || ...))
    return traced(builder_in(all)->innermost(), a);
  else
    return a;
}
// The variables made of arguments; where one was refused there is no function to differentiate.
template <class V>
inline constexpr bool are_exprs = false;
template <class... E>
inline constexpr bool are_exprs<std::tuple<E...>> = (is_expr<E> && ...);
template <class V>
inline constexpr bool holds_refusal = false;
template <class... E>
inline constexpr bool holds_refusal<std::tuple<E...>> = (is_after_refusal<E> || ...);

template <class... T>
constexpr auto single_or_tuple(const std::tuple<T...>& t) {
  if constexpr (sizeof...(T) == 1)
    return std::get<0>(t);
  else
    return t;
}

}  // namespace detail

WEFT_REFUSAL(
    TangentsFollow,
    "jvp: the function's arguments come first, and a tangent for each follows: write jvp(f)(x, tangent)");
WEFT_REFUSAL(CotangentIsLast,
             "vjp: the function's arguments come first and the cotangent of its result last: write "
             "vjp(f)(x, cotangent)");

WEFT_REFUSAL(
    ProductsTakeValues,
    "vjp and jvp: an argument is a model or another object, which is no value: a model's gradient is "
    "grad(f)(m, x), its product with a cotangent that of sum<>(f(m, x) * cotangent), and its parameters are "
    "one value in nn::parameters_to_vector(m), of which nn::vector_to_parameters(v, m) makes a model in the "
    "function");

// The function that vjp returns.
template <class F>
struct Vjp {
  using weft_transform = void;
  F f;

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr bool separate = detail::are_separate<sizeof...(A) - 1, A...>;
    static_assert(sizeof(CotangentIsLast<(sizeof...(A) >= 2), Vjp, A...>) > 0);
    static_assert(sizeof(ArgumentsAreSeparate<separate, Vjp, A...>) > 0);
    if constexpr (separate && sizeof...(A) >= 2)
      return call(std::make_index_sequence<sizeof...(A) - 1>{}, std::tie(a...));
    else if constexpr (sizeof...(A) < 2)  // of JAX's auto [y, pull] = vjp(f)(x)
      return AfterRefusal{};
    else
      return detail::first_expr(a..., AfterRefusal{});
  }

 private:
  template <std::size_t... K, class All>
  constexpr auto call(std::index_sequence<K...>, const All& all) const {
    List<int> nodes;
    const std::tuple variables{detail::isolated<static_cast<int>(K), static_cast<int>(K)...>(
        detail::beside_all(std::get<K>(all), all), nodes)...};
    using V = std::remove_cvref_t<decltype(variables)>;
    if constexpr (!detail::are_exprs<V>) {
      static_assert(sizeof(ProductsTakeValues<detail::holds_refusal<V>, Vjp, V>) > 0);
      return std::apply([](const auto&... a) { return detail::first_expr(a..., AfterRefusal{}); }, all);
    } else {
      ir::Builder& b = std::get<0>(variables).value.builder->innermost();
      const auto y = detail::entered(b, detail::body_of<Vjp<F>>(f, std::get<K>(variables)...));
      const auto seed = detail::entered(b, std::get<sizeof...(K)>(all));
      using Y = std::remove_cvref_t<decltype(y)>;
      using Seed = std::remove_cvref_t<decltype(seed)>;
      constexpr bool ok = std::is_same_v<Y, Seed>;
      static_assert(sizeof(CotangentFits<ok, Vjp, Y, Seed>) > 0);
      if constexpr (ok)
        return detail::single_or_tuple(detail::gradients_of(b, y, seed, variables));
      else
        return detail::single_or_tuple(variables);
    }
  }
};

// The function that jvp returns.
template <class F>
struct Jvp {
  using weft_transform = void;
  F f;

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr bool even = sizeof...(A) >= 2 && sizeof...(A) % 2 == 0;
    constexpr bool separate = detail::are_separate<sizeof...(A), A...>;
    static_assert(sizeof(TangentsFollow<even, Jvp, A...>) > 0);
    static_assert(sizeof(ArgumentsAreSeparate<separate, Jvp, A...>) > 0);
    if constexpr (separate && even)
      return call(std::make_index_sequence<sizeof...(A) / 2>{}, std::tie(a...));
    else
      return std::pair{detail::first_expr(a..., AfterRefusal{}), detail::first_expr(a..., AfterRefusal{})};
  }

 private:
  template <std::size_t... K, class All>
  constexpr auto call(std::index_sequence<K...>, const All& all) const {
    constexpr std::size_t count = sizeof...(K);
    List<int> nodes;
    const std::tuple variables{detail::isolated<static_cast<int>(K), static_cast<int>(K)...>(
        detail::beside_all(std::get<K>(all), all), nodes)...};
    using V = std::remove_cvref_t<decltype(variables)>;
    if constexpr (!detail::are_exprs<V>) {
      static_assert(sizeof(ProductsTakeValues<detail::holds_refusal<V>, Jvp, V>) > 0);
      const auto refused =
          std::apply([](const auto&... a) { return detail::first_expr(a..., AfterRefusal{}); }, all);
      return std::pair{refused, refused};
    } else {
      ir::Builder& b = std::get<0>(variables).value.builder->innermost();
      const std::tuple tangents{detail::traced(b, std::get<count + K>(all))...};
      const auto y = detail::entered(b, detail::body_of<Jvp<F>>(f, std::get<K>(variables)...));
      using T = std::remove_cvref_t<decltype(tangents)>;
      constexpr bool ok = std::is_same_v<V, T>;
      static_assert(sizeof(TangentsFit<ok, Jvp, V, T>) > 0);
      if constexpr (ok) {
        // any cotangent will do, as the gradient is linear in it: ones
        const auto one = [](const auto& e) {
          return detail::variable(std::remove_cvref_t<decltype(e)>{ir::constant_like(e.value, 1)});
        };
        const auto u = detail::map_values(y, one);
        const auto g = detail::gradients_of(b, y, u, variables);
        return std::pair{y, detail::gradients_of(b, g, tangents, u)};
      } else {
        return std::pair{y, y};
      }
    }
  }
};

// vjp(f)(x..., cotangent): the cotangent of f's result times its Jacobian: for one argument an expression,
// for several a tuple. The cotangent has the result's type, a tuple where f returns one. Arguments are
// floating.
template <class F>
constexpr auto vjp(const F& f) {
  return Vjp<F>{f};
}

// jvp(f)(x..., tangent...): f's result, and its derivative in the direction of the tangents.
template <class F>
constexpr auto jvp(const F& f) {
  return Jvp<F>{f};
}

// Refusals.
template <class F, class X, class... A>
constexpr auto vjp(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::vjp, X, A...>) > 0);
  return detail::first_expr(x);
}
template <class F, class X, class... A>
constexpr auto jvp(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::jvp, X, A...>) > 0);
  return detail::first_expr(x);
}

}  // namespace WEFT_NAMESPACE
