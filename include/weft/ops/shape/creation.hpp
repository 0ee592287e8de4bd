#pragma once
// Literals: tensors made from nothing. They join the graph at their first use; the kernel that reads them
// computes them in place.

#include "weft/ops/core/in_brackets.hpp"
#include "weft/ops/core/written.hpp"
#include "weft/ops/math/pointwise.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    FullKeepsNumber,
    "the tensor is of integers and the number is floating, which would cut it: write full<f32, 3>(1.5f) "
    "for a tensor of such numbers, or cast the number, full<i32, 3>(static_cast<i32>(number))");
WEFT_REFUSAL(
    LinspaceIsFloating,
    "linspace has fractions between its ends: ask for a floating dtype, linspace<f32, 5>(0, 1), or for "
    "integers by arange<i32, 0, 10, 2>() or cast<i32>(linspace<f32, 5>(0, 8))");

WEFT_REFUSAL(ArangeFits,
             "arange: the numbers from the first to the last are of the dtype, as 300 is none of u8: write "
             "arange<i64, begin, end, step>()");

namespace detail {
// Whether V is a floating number, known here or at run time, and T an integer type.
template <class V, class T>
inline constexpr bool is_cut_number =
    (Scalar<V> ||
     is_scalar_expr<V>)&&std::is_integral_v<T>&& std::is_floating_point_v<typename operand_traits<V>::dtype>;

// A splat whose value is given when the expression is written.
template <class T, i64... D>
struct FullOp : Operation<FullOp<T, D...>> {
  using weft_creates = void;
  template <class V>
  static constexpr auto apply(ir::Builder& b, V value) {
    static_assert(sizeof(FullKeepsNumber<!is_cut_number<V, T>, FullOp, V, T>) > 0);
    return Expr<T, Shape<D...>>{
        ir::broadcast(ir::as_element(written<FullOp, T>(b, value)), Shape<D...>::value)};
  }
  using Operation<FullOp<T, D...>>::operator();
  template <std::integral V>
  constexpr auto operator()(const V& value) const {
    return Operation<FullOp<T, D...>>::operator()(fitting<T>(value));
  }
};
template <class T, int Value, i64... D>
struct SplatOp : Operation<SplatOp<T, Value, D...>> {
  using weft_creates = void;
  static constexpr auto apply(ir::Builder& b) {
    return Expr<T, Shape<D...>>{ir::constant(b, dtype_of<T>, Shape<D...>::value, Value)};
  }
};
// Begin, Begin + Step, ... (N of them).
template <class T, i64 N, i64 Begin, i64 Step>
struct ArangeOp : Operation<ArangeOp<T, N, Begin, Step>> {
  using weft_creates = void;
  static constexpr auto apply(ir::Builder& b) {
    // counted in i32 where all numbers are of it; no two of them are further apart than i64 reaches
    constexpr i64 last = N > 0 ? Begin + (N - 1) * Step : Begin;
    constexpr bool small = number_fits<i32>(Begin) && number_fits<i32>(last) &&
                           number_fits<i32>(last - Begin) && number_fits<i32>(Step);
    constexpr bool fits = number_fits<T>(Begin) && number_fits<T>(last);
    static_assert(sizeof(ArangeFits<fits, T, GivenSize<Begin>, GivenSize<last>>) > 0);
    using Index = std::conditional_t<std::is_same_v<T, i64> || !small, i64, i32>;
    const auto number = [&](i64 x) {
      return ir::Value{&b, b.constant(dtype_of<Index>, b.shape(Shape<N>::value), static_cast<u64>(x))};
    };
    const ir::Value count{&b, b.leaf(ir::Op::iota, dtype_of<Index>, Shape<N>::value, 0)};
    const ir::Value scaled = Step == 1 ? count : count * number(Step);
    return Expr<T, Shape<N>>{ir::cast(Begin == 0 ? scaled : scaled + number(Begin), dtype_of<T>)};
  }
};
// N numbers from low to high, both included; counted from the nearer end, as PyTorch does.
template <class T, i64 N>
struct LinspaceOp : Operation<LinspaceOp<T, N>> {
  using weft_creates = void;
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& low, const B& high) {
    static_assert(sizeof(LinspaceIsFloating<!std::is_integral_v<T>, LinspaceOp>) > 0);
    const auto begin = Expr<T, Shape<>>{as_value<T>(b, low)}, end = Expr<T, Shape<>>{as_value<T>(b, high)};
    const ir::Value number{&b, b.leaf(ir::Op::iota, DType::i32, Shape<N>::value, 0)};
    const auto i = Expr<T, Shape<N>>{ir::cast(number, dtype_of<T>)};
    const auto step = div(sub(end, begin), N > 1 ? N - 1 : 1);
    const auto first_half = Expr<bool, Shape<N>>{
        ir::binary(ir::Op::lt, number, ir::constant_like(number, static_cast<double>((N + 1) / 2)))};
    return where(first_half, add(begin, mul(step, i)), sub(end, mul(step, sub(N - 1, i))));
  }
};
// A splat with another tensor's shape, and its dtype unless T names one.
template <class T>
struct FullLike : Operation<FullLike<T>> {
  template <ExprLike X, class V>
  static constexpr auto apply(ir::Builder& b, const X&, const V& value) {
    using R = std::conditional_t<std::is_void_v<T>, typename X::dtype, T>;
    static_assert(sizeof(FullKeepsNumber<!is_cut_number<V, R>, FullLike, V, R>) > 0);
    return Expr<R, typename X::shape>{
        ir::broadcast(ir::as_element(written<FullLike, R>(b, value)), X::shape::value)};
  }
};

}  // namespace detail

// full<f32, 2, 3>(x): the number x, known now or at run time, everywhere.
template <class T, i64... D, class V>
constexpr auto full(const V& value) {
  return detail::FullOp<T, D...>{}(value);
}

template <class T, i64... D>
constexpr auto zeros() {
  return detail::SplatOp<T, 0, D...>{}();
}
template <class T, i64... D>
constexpr auto ones() {
  return detail::SplatOp<T, 1, D...>{}();
}
WEFT_REFUSAL(FullTakesNumber,
             "full takes the number that stands everywhere, full<f32, 2, 3>(1.5f): without one write "
             "zeros<f32, 2, 3>() or ones<f32, 2, 3>()");
// Refused.
template <class T, i64... D>
constexpr auto full() {
  static_assert(sizeof(FullTakesNumber<(sizeof...(D) > 1024), T, Shape<D...>>) > 0);
  return zeros<T, D...>();
}
// Memory that will be written is the library's business: empty is zeros.
template <class T, i64... D>
constexpr auto empty() {
  return zeros<T, D...>();
}
// arange<f32, n>(): 0, ..., n - 1. arange<f32, begin, end, step>(): as Python's range.
template <class T, i64 N>
constexpr auto arange() {
  return detail::ArangeOp<T, N, 0, 1>{}();
}
WEFT_REFUSAL(ArangeSteps,
             "arange<f32, begin, end, step>() goes from begin to end in steps, which lead there and are not "
             "0: write 1, which may be left out, -1 downwards, arange<i32, 9, -1, -1>(), or full<f32, "
             "n>(value) for n equal numbers");
template <class T, i64 Begin, i64 End, i64 Step = 1>
constexpr auto arange() {
  constexpr bool arrives = Step > 0 ? Begin <= End : Step < 0 && Begin >= End;
  static_assert(sizeof(ArangeSteps<arrives, T, GivenSize<Begin>, GivenSize<End>, GivenSize<Step>>) > 0);
  constexpr i64 span = Step >= 0 ? End - Begin : Begin - End, stride = Step > 0 ? Step : Step < 0 ? -Step : 1;
  return detail::ArangeOp<T, (span > 0 ? (span + stride - 1) / stride : 0), Begin, Step>{}();
}
WEFT_REFUSAL(ArangeCounts,
             "arange counts in integers, arange<f32, begin, end, step>(): of fractions write linspace<f32, "
             "8>(0, 3.5f), or arange<f32, 8>() * 0.5f");
template <class T, detail::InBrackets... A>
requires((sizeof...(A) > 0) && ((A.kind != detail::InBrackets::integer) || ...)) constexpr auto arange() {
  static_assert(sizeof(ArangeCounts<sizeof(T) == 0, T>) > 0);
  return AfterRefusal{};
}
// linspace<f32, n>(low, high)
template <class T, i64 N, class A, class B>
constexpr auto linspace(const A& low, const B& high) {
  return detail::LinspaceOp<T, N>{}(low, high);
}
// zeros_like(x), ones_like<f32>(x), full_like(x, value), empty_like(x)
template <class T = void, class X>
constexpr auto zeros_like(const X& x) {
  return detail::FullLike<T>{}(x, 0);
}
template <class T = void, class X>
constexpr auto ones_like(const X& x) {
  return detail::FullLike<T>{}(x, 1);
}
template <class T = void, class X, class V>
constexpr auto full_like(const X& x, const V& value) {
  using R = std::conditional_t<std::is_void_v<T>, detail::dtype_in_type<X>, T>;
  return detail::FullLike<T>{}(x, detail::fitting<R>(value));
}
template <class T = void, class X>
constexpr auto empty_like(const X& x) {
  return detail::FullLike<T>{}(x, 0);
}

}  // namespace WEFT_NAMESPACE
