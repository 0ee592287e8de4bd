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
// Uniform in [0, 1): the upper bits, in f32, which has each of these values.
constexpr ir::Value uniform_bits(ir::Builder& b, const Dims& dims, int digits = 24) {
  const ir::Value bits = random_bits(b, dims);
  const ir::Value upper =
      ir::binary(ir::Op::shift_right, bits, ir::constant(b, DType::u32, dims, 32 - digits));
  return ir::cast(upper, DType::f32) * (1.0 / static_cast<double>(1 << digits));
}
// The same in dtype t: as many bits as its significand has, where rounding would give 1.
constexpr ir::Value uniform_of(ir::Builder& b, const Dims& dims, DType t) {
  const int digits = t == DType::f16      ? 11
                     : t == DType::bf16   ? 8
                     : t == DType::f8e4m3 ? 4
                     : t == DType::f8e5m2 ? 3
                                          : 24;
  return ir::cast(uniform_bits(b, dims, digits), t);
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

// Whether randint's bounds, where they are known, hold integers of T between them, fewer than 2^63.
template <class T, class A, class B>
constexpr bool bounds_fit(const A& low, const B& high) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    const auto from = static_cast<i64>(low), to = static_cast<i64>(high);
    return from < to && static_cast<u64>(to) - static_cast<u64>(from) <= u64{9223372036854775807u} &&
           number_fits<T>(from) && number_fits<T>(to - 1);
  } else {
    return true;
  }
}
// Uniform in [0, width): the upper bits of 32 random bits times a width of at most 2^32; of a wider one, as
// in PyTorch, the remainder of as many bits as i64 has. i64, and so is `width`, a scalar. `most`: no less
// than the width where that is known.
constexpr ir::Value integers_below(ir::Builder& b, const Dims& dims, ir::Value width, i64 most) {
  using ir::Op;
  const auto right = [](ir::Value x, int by) {
    return ir::binary(Op::shift_right, x, ir::constant_like(x, by));
  };
  const ir::Value bits = ir::cast(random_bits(b, dims), DType::i64);
  constexpr i64 two32 = i64{1} << 32;
  if (most <= two32 / 2) return right(bits * width, 32);
  // in halves, so that products stay below 2^63
  const ir::Value upper = right(width, 16);
  const ir::Value lower = ir::binary(Op::bit_and, width, ir::constant_like(width, 65535));
  const ir::Value narrow = right(bits * upper + right(bits * lower, 16), 16);
  if (most <= two32) return narrow;
  const ir::Value more = right(ir::cast(random_bits(b, dims), DType::i64), 1);
  const ir::Value all = more * static_cast<double>(two32) + bits;
  const ir::Value wide = all - all / width * width;
  const ir::Value fits = ir::binary(Op::le, width, ir::constant_like(width, static_cast<double>(two32)));
  return ir::select(ir::broadcast(fits, dims), narrow, wide);
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
    return Expr<T, Shape<D...>>{detail::uniform_of(b, Shape<D...>::value, dtype_of<T>)};
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
// Integers in [low, high), uniform.
template <class T, i64... D>
struct RandIntOp : Operation<RandIntOp<T, D...>> {
  using weft_draws = void;
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& low, const B& high) {
    static_assert(sizeof(IntegersAreDrawn<is_integer(dtype_of<T>), RandIntOp>) > 0);
    if (!detail::bounds_fit<T>(low, high))
      return detail::without_value<Expr<T, Shape<D...>>>(b, ir::Valueless::no_bounds);
    const ir::Value begin = detail::as_value<i64>(b, low), width = detail::as_value<i64>(b, high) - begin;
    i64 most = size_of(dtype_of<T>) < 8 ? i64{1} << 32 : std::numeric_limits<i64>::max();
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
      most = static_cast<i64>(high) - static_cast<i64>(low);
    const ir::Value drawn = detail::integers_below(b, Shape<D...>::value, width, most);
    return Expr<T, Shape<D...>>{ir::cast(drawn + begin, dtype_of<T>)};
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
    if constexpr (Normal)
      return X{ir::cast(detail::normal_bits(b, X::shape::value), dtype_of<T>)};
    else
      return X{detail::uniform_of(b, X::shape::value, dtype_of<T>)};
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

WEFT_REFUSAL(SeedIsOfProgram,
             "a function that draws takes no seed and no generator of its own: seed{7} is an option of the "
             "program, compile(Cpu{}, f, in<f32, 4, 8>, seed{7}) and make_trainer(..., seed{7}), and "
             "manual_seed(7) sets those of all that are made behind it");

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
  static_assert(sizeof(SeedIsOfProgram < !std::is_class_v<A> || Operand<A>, spelled::rand, T, A >) > 0);
  static_assert(sizeof(DrawnTakeNothing < std::is_class_v<A> && !Operand<A>, spelled::rand, T, A >) > 0);
  return RandOp<T, D...>{}();
}
template <class T, i64... D, class A, class... More>
constexpr auto randn(const A&, const More&...) {
  static_assert(sizeof(SeedIsOfProgram < !std::is_class_v<A> || Operand<A>, spelled::randn, T, A >) > 0);
  static_assert(sizeof(DrawnTakeNothing < std::is_class_v<A> && !Operand<A>, spelled::randn, T, A >) > 0);
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
