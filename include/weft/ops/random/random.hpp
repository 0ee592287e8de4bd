#pragma once
// Random numbers as functions of (seed, step, stream, element): every call in a traced function is a stream
// of its own, numbered in the order of the calls, so that masks are rematerialized instead of stored.

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/core/written.hpp"
#include "weft/ops/math/pointwise.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// A body that is traced inside has numbered its streams so far, and b goes on behind them.
constexpr ir::Value random_bits(ir::Builder& b, const Dims& dims) {
  return {&b, b.leaf(ir::Op::random, DType::u32, dims, static_cast<u64>(b.innermost().graph.streams++))};
}
// Uniform in [0, 1): the upper 24 bits, each value exact in f32.
constexpr ir::Value uniform_bits(ir::Builder& b, const Dims& dims) {
  const ir::Value bits = random_bits(b, dims);
  const ir::Value upper = ir::binary(ir::Op::shift_right, bits, ir::constant(b, DType::u32, dims, 8));
  return ir::cast(upper, DType::f32) * 5.9604644775390625e-8;  // 2^-24
}
// Where a number uniform in [0, 1) is less than `keep` as f32, which the bits are compared for by themselves:
// the upper 24 are below keep 2^24.
constexpr ir::Value kept_with(ir::Builder& b, const Dims& dims, double keep) {
  const double least = static_cast<double>(static_cast<f32>(keep)) * 16777216.0;
  i64 upper = static_cast<i64>(least);
  if (static_cast<double>(upper) < least) ++upper;
  const ir::Value bits = random_bits(b, dims);
  if (upper >= 16777216) return ir::constant(b, DType::boolean, dims, 1);
  return ir::binary(ir::Op::lt, bits, ir::constant(b, DType::u32, dims, static_cast<double>(upper << 8)));
}
// Standard normal: Box and Muller (1958), of two uniform streams; 1 - u keeps the logarithm finite.
constexpr ir::Value normal_bits(ir::Builder& b, const Dims& dims) {
  const ir::Value u = 1.0 - uniform_bits(b, dims), v = uniform_bits(b, dims);
  return ir::unary(ir::Op::sqrt, ir::unary(ir::Op::log, u) * -2.0) *
         ir::unary(ir::Op::cos, v * 6.283185307179586);
}

// Whether randint's bounds, where they are known, hold integers of T between them.
template <class T, class A, class B>
constexpr bool bounds_fit(const A& low, const B& high) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
    return static_cast<i64>(low) < static_cast<i64>(high) && number_fits<T>(static_cast<i64>(low)) &&
           number_fits<T>(static_cast<i64>(high) - 1);
  else
    return true;
}
// Outside of a traced function.
template <class T, class A, class B>
constexpr void check_bounds(const A& low, const B& high) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
    if (!std::is_constant_evaluated() && !bounds_fit<T>(low, high))
      throw Error("tensor/number-range",
                  "randint draws integers of its dtype from [low, high), and there are none, or not all of "
                  "them, in [" +
                      std::to_string(low) + ", " + std::to_string(high) + ")");
}

}  // namespace detail

template <class T, i64... D>
struct RandOp : Operation<RandOp<T, D...>> {
  using weft_draws = void;
  static constexpr auto apply(ir::Builder& b) {
    return Expr<T, Shape<D...>>{ir::cast(detail::uniform_bits(b, Shape<D...>::value), dtype_of<T>)};
  }
};
template <class T, i64... D>
struct RandnOp : Operation<RandnOp<T, D...>> {
  using weft_draws = void;
  static constexpr auto apply(ir::Builder& b) {
    return Expr<T, Shape<D...>>{ir::cast(detail::normal_bits(b, Shape<D...>::value), dtype_of<T>)};
  }
};

WEFT_REFUSAL(
    IntegersAreDrawn,
    "randint gives integers, randint<i64, 4, 8>(low, high): as floats they are cast<f32>(randint<i64, "
    "4, 8>(low, high)), and rand<f32, 4, 8>() is uniform in [0, 1)");
// Integers in [low, high), uniform: the upper bits of a 32-bit number times the width.
template <class T, i64... D>
struct RandIntOp : Operation<RandIntOp<T, D...>> {
  using weft_draws = void;
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& low, const B& high) {
    static_assert(sizeof(IntegersAreDrawn<is_integer(dtype_of<T>), RandIntOp>) > 0);
    if (!detail::bounds_fit<T>(low, high))
      return detail::without_value<Expr<T, Shape<D...>>>(b, ir::Valueless::no_bounds);
    const ir::Value begin = detail::as_value<i64>(b, low), width = detail::as_value<i64>(b, high) - begin;
    const ir::Value bits = ir::cast(detail::random_bits(b, Shape<D...>::value), DType::i64);
    const ir::Value scaled = ir::binary(ir::Op::shift_right, bits * width, ir::constant_like(bits, 32));
    return Expr<T, Shape<D...>>{ir::cast(scaled + begin, dtype_of<T>)};
  }
  using Operation<RandIntOp<T, D...>>::operator();
  template <std::integral A, std::integral B>
  constexpr auto operator()(const A& low, const B& high) const {
    detail::check_bounds<T>(low, high);
    return Operation<RandIntOp<T, D...>>::operator()(low, high);
  }
};
WEFT_REFUSAL(
    DrawnAreFloats,
    "rand, randn, normal, exponential and their like give floating-point numbers: rand<f32, 4, 8>(); "
    "integers are randint<i32, 4, 8>(low, high), and cast<f32>(x) has a float's shape for rand_like");
// Random numbers with another tensor's dtype and shape.
template <bool Normal>
struct RandLikeOp : Operation<RandLikeOp<Normal>> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X&) {
    using T = typename X::dtype;
    static_assert(sizeof(DrawnAreFloats<is_float(dtype_of<T>), RandLikeOp, T>) > 0);
    const ir::Value v =
        Normal ? detail::normal_bits(b, X::shape::value) : detail::uniform_bits(b, X::shape::value);
    return X{ir::cast(v, dtype_of<typename X::dtype>)};
  }
};

namespace detail {

// A number, one that is known at run time, or a traced scalar.
template <class P>
concept Rate = std::is_arithmetic_v<P> || is_scalar_expr<P> || std::is_same_v<P, Expr<f32, Shape<>>>;

// x with its elements zeroed with probability p and the others scaled by 1 / (1 - p), one draw for each index
// into its first `Axes` axes, or for each element. p is a number, or a traced scalar: the same of the same
// draw.
template <class Derived, int Axes = max_rank>
struct DropoutOf : Operation<Derived> {
  using weft_draws = void;
  template <class X, class P>
  requires Rate<P>
  static constexpr auto apply(ir::Builder& b, const X& x, const P& p) {
    if constexpr (Axes < max_rank)
      static_assert(sizeof(RankIs<(X::rank >= Axes), Derived, typename X::shape, GivenRank<Axes>>) > 0);
    Dims d = X::shape::value;
    for (int i = Axes; i < d.rank; ++i) d.extent[i] = 1;
    if constexpr (std::is_arithmetic_v<P>)
      return of_number(b, x, d, static_cast<double>(p));
    else
      return Derived::at_run_time(b, x, d, Expr<f32, Shape<>>{as_value<f32>(b, p)});
  }
  using Operation<Derived>::operator();
  // Of a run-time tensor: throws "tensor/number-range" for a number that is no share.
  template <class X, class P>
  requires std::is_arithmetic_v<P>
  constexpr auto operator()(const X& x, const P& p) const {
    return Operation<Derived>::operator()(x, checked_in(p, 0, 1, rate_text));
  }

 private:
  template <class X>
  static constexpr auto of_number(ir::Builder& b, const X& x, const Dims& d, double p) {
    const double keep = 1.0 - p;
    if (!(keep >= 0 && keep <= 1)) return without_value<X>(b, ir::Valueless::no_rate);
    if (keep >= 1) return X{x.value};
    return Derived::dropped(x, kept_with(b, d, keep), keep);
  }
};
template <class Derived, int Axes = max_rank>
struct ZeroedOf : DropoutOf<Derived, Axes> {
  template <class X>
  static constexpr auto dropped(const X& x, const ir::Value& kept, double keep) {
    const ir::Value scaled = keep > 0 ? x.value * (1.0 / keep) : x.value;
    return X{ir::select(kept, scaled, ir::constant_like(x.value, 0))};
  }
  template <class X>
  static constexpr auto at_run_time(ir::Builder& b, const X& x, const Dims& d, const Expr<f32, Shape<>>& p) {
    const auto keep = sub(1, p);
    const ir::Value kept = ir::binary(ir::Op::lt, uniform_bits(b, d), ir::broadcast(keep.value, d));
    const ir::Value scaled = div(x, where(gt(keep, 0), keep, 1)).value;
    return X{ir::cast(ir::select(kept, scaled, ir::constant_like(scaled, 0)), dtype_of<typename X::dtype>)};
  }
};

}  // namespace detail

// x with each element zeroed with probability p and the others scaled by 1 / (1 - p). p is a number, or a
// traced scalar: the same elements of the same draw.
struct DropoutOp : detail::ZeroedOf<DropoutOp> {
  template <class X, class P>
  requires detail::Rate<P>
  static constexpr auto apply(ir::Builder& b, const X& x, const P& p) { return DropoutOf::apply(b, x, p); }
};

WEFT_REFUSAL(DrawnTakeNothing,
             "rand and randn take no number, for these are uniform in [0, 1) and of mean 0 and deviation 1: "
             "rand<f32, 4, 8>() * 2 - 1 is uniform in [-1, 1), normal<f32, 4, 8>(mean, deviation)");

// Functions, not objects: the C library has a global rand.
template <class T, i64... D>
constexpr auto rand() {
  static_assert(sizeof(DrawnAreFloats<is_float(dtype_of<T>), spelled::rand, T>) > 0);
  return RandOp<T, D...>{}();
}
template <class T, i64... D>
constexpr auto randn() {
  static_assert(sizeof(DrawnAreFloats<is_float(dtype_of<T>), spelled::randn, T>) > 0);
  return RandnOp<T, D...>{}();
}
// Refused.
template <class T, i64... D, class A, class... More>
constexpr auto rand(const A&, const More&...) {
  static_assert(sizeof(DrawnTakeNothing<sizeof(A) == 0, spelled::rand, T, A>) > 0);
  return RandOp<T, D...>{}();
}
template <class T, i64... D, class A, class... More>
constexpr auto randn(const A&, const More&...) {
  static_assert(sizeof(DrawnTakeNothing<sizeof(A) == 0, spelled::randn, T, A>) > 0);
  return RandnOp<T, D...>{}();
}
inline constexpr DropoutOp dropout{};
// randint<i64, 2, 3>(low, high)
template <class T, i64... D, class A, class B>
constexpr auto randint(const A& low, const B& high) {
  return RandIntOp<T, D...>{}(low, high);
}
// randint<i64, 2, 3>(high): from 0 on.
template <class T, i64... D, class B>
constexpr auto randint(const B& high) {
  return RandIntOp<T, D...>{}(0, high);
}
template <class X>
constexpr auto rand_like(const X& x) {
  return RandLikeOp<false>{}(x);
}
template <class X>
constexpr auto randn_like(const X& x) {
  return RandLikeOp<true>{}(x);
}

}  // namespace WEFT_NAMESPACE
