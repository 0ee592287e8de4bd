#pragma once
// Whole Jacobians and Hessians: a product with each unit vector, traced once and mapped over them. As
// torch.func.jacrev, jacfwd and hessian.

#include "weft/ops/shape/movement.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/triangular.hpp"
#include "weft/ops/transform/vjp.hpp"
#include "weft/ops/transform/vmap.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(JacobianIsOfOne,
             "jacrev, jacfwd and hessian: the function returns one floating-point expression, and the "
             "argument that is named, jacrev<1>(f)(x, y) for y, is one: write vjp or jvp for several");

namespace detail {

template <class A, class B>
struct joined_shapes;
template <i64... A, i64... B>
struct joined_shapes<Shape<A...>, Shape<B...>> {
  using type = Shape<A..., B...>;
};
template <class S, class X>
constexpr auto as_shape(const X& x) {
  return []<i64... D>(Shape<D...>, const X& of) { return reshape<D...>(of); }
  (S{}, x);
}
// The unit vectors of tensors like E, (E::shape::size, ...).
template <class E>
constexpr auto unit_vectors() {
  using S = typename E::shape;
  return as_shape<typename joined_shapes<Shape<S::size>, S>::type>(eye<typename E::dtype, S::size>());
}

template <class X>
inline constexpr bool is_differentiable = [] {
  if constexpr (ExprLike<X>)
    return is_float(dtype_of<typename expr_of<X>::dtype>);
  else
    return false;
}();

}  // namespace detail

// The function that jacrev and jacfwd return.
template <bool Forward, int Argument, class F>
struct Jacobian {
  using weft_transform = void;
  F f;

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    constexpr bool exists = Argument >= 0 && Argument < static_cast<int>(sizeof...(A));
    static_assert(sizeof(GradientArgument<exists, Jacobian, GivenInput<Argument>, A...>) > 0);
    if constexpr (exists)
      return by(std::get<Argument>(std::tie(a...)), std::tie(a...), std::index_sequence_for<A...>{});
    else
      return detail::first_expr(a...);
  }

 private:
  template <class X, class All, std::size_t... K>
  constexpr auto by(const X& x, const All& all, std::index_sequence<K...>) const {
    const auto of_one = [&](const auto& v) {
      return detail::body_of<Jacobian>(f, pick<K>(v, std::get<K>(all))...);
    };
    using Result = std::remove_cvref_t<decltype(of_one(x))>;
    constexpr bool ok = detail::is_differentiable<X> && detail::is_differentiable<Result>;
    static_assert(sizeof(JacobianIsOfOne<ok, Jacobian, X, Result>) > 0);
    if constexpr (!ok) {
      return x;
    } else {
      using From = expr_of<X>;
      using To = expr_of<Result>;
      using Joined = typename detail::joined_shapes<typename To::shape, typename From::shape>::type;
      if constexpr (Forward) {
        const auto along = [&](const auto& v, const auto& t) { return jvp(of_one)(v, t).second; };
        const auto columns =
            vmap<unmapped, 0>(along)(x, detail::unit_vectors<From>());  // (From::shape::size, To's...)
        return detail::as_shape<Joined>(
            transpose<0, 1>(reshape<From::shape::size, To::shape::size>(columns)));
      } else {
        return detail::as_shape<Joined>(vmap<unmapped, 0>(vjp(of_one))(x, detail::unit_vectors<To>()));
      }
    }
  }
  template <std::size_t K, class V, class A>
  static constexpr const auto& pick(const V& v, const A& a) {
    if constexpr (K == Argument)
      return v;
    else
      return a;
  }
};

// jacrev(f)(x, ...): the derivative of each element of f's result by each of the first argument's, of the
// result's shape followed by the argument's; jacrev<1>(f) by the second. By a vjp for each element of the
// result, so of few results and many arguments. (No function of a program's own is hidden: what takes a
// pack is chosen last.)
template <int Argument = 0, class F, class... Nothing>
requires(sizeof...(Nothing) == 0) constexpr auto jacrev(const F& f, Nothing...) {
  return Jacobian<false, Argument, F>{f};
}
// The same by a jvp for each element of the argument: of many results and few arguments.
template <int Argument = 0, class F, class... Nothing>
requires(sizeof...(Nothing) == 0) constexpr auto jacfwd(const F& f, Nothing...) {
  return Jacobian<true, Argument, F>{f};
}
// hessian(f)(x, ...): the second derivatives, of the result's shape followed by the argument's twice.
template <int Argument = 0, class F, class... Nothing>
requires(sizeof...(Nothing) == 0) constexpr auto hessian(const F& f, Nothing...) {
  return jacfwd<Argument>(jacrev<Argument>(f));
}

// Refusals.
template <int Argument = 0, class F, class X, class... A>
constexpr auto jacrev(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::jacrev, X, A...>) > 0);
  return detail::first_expr(x);
}
template <int Argument = 0, class F, class X, class... A>
constexpr auto jacfwd(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::jacfwd, X, A...>) > 0);
  return detail::first_expr(x);
}
template <int Argument = 0, class F, class X, class... A>
constexpr auto hessian(const F&, const X& x, const A&...) {
  static_assert(sizeof(TransformTakesFunction<sizeof(X) == 0, spelled::hessian, X, A...>) > 0);
  return detail::first_expr(x);
}

}  // namespace WEFT_NAMESPACE
