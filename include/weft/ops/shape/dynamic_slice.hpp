#pragma once
// A block of a tensor whose place is known at run time, its sizes at compile time: dynamic_slice reads it,
// dynamic_update_slice gives the tensor with another one written there. XLA's and JAX's operations; of
// PyTorch the nearest are narrow with a start in a tensor, and slice_scatter. Law: an offset is clamped so
// that the block lies inside, a negative one to 0; under check::indices one that would be is an Error. What
// is assigned to the state that it updates is written in place: no more than the block's bytes move.

#include "weft/ir/dynamic_slice.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(OffsetIsInteger,
             "an offset is one integer: a C++ integer, or an expression of integers of shape () or (1,)");
WEFT_REFUSAL(OffsetsFit,
             "there is an offset for every axis of the tensor, dynamic_slice<2, 3>(x, i, j) and "
             "dynamic_update_slice(x, y, i, j), or an axis is named: dynamic_slice<axis, length>(x, start) "
             "and dynamic_update_slice<axis>(x, y, start)");
WEFT_REFUSAL(BlockFits,
             "the block does not fit: it needs the tensor's number of axes, and along none of them may it be "
             "longer than the tensor");

namespace detail {

template <class X, class Y>
constexpr bool block_fits() {
  if (X::rank != Y::rank) return false;
  for (int k = 0; k < X::rank; ++k)
    if (Y::value.extent[k] > X::value.extent[k] || Y::value.extent[k] < 0) return false;
  return true;
}

template <class O>
inline constexpr bool is_offset = std::is_integral_v<O> && !std::is_same_v<O, bool>;
template <class S>
inline constexpr bool is_offset<ScalarExpr<S>> = is_offset<S>;
template <class T, class S>
inline constexpr bool is_offset<Expr<T, S>> = is_integer(dtype_of<T>) && S::rank <= 1 && S::size == 1;

// X with another extent along an axis.
template <class X, int Axis, i64 Length>
struct narrowed_rule {
  static constexpr bool ok = axis_in_range(Axis, X::rank);
  static constexpr int axis = ok ? normalize_axis(Axis, X::rank) : 0;
  static constexpr Dims make() {
    Dims r = X::value;
    if (ok) r.extent[axis] = Length;
    return r;
  }
  static constexpr Dims value = make();
};

template <class O>
constexpr ir::Value offset_value(ir::Builder& b, const O& offset) {
  if constexpr (is_expr<O>) {
    const ir::Value v = ir::reshape(offset.value, Dims{});
    return v.dtype() == DType::i32 ? v : ir::cast(v, DType::i64);
  } else {
    return as_value<i64>(b, offset);
  }
}
// Where a block begins, from axis `first` on; i32 where all offsets are.
template <class... O>
constexpr ir::BlockPlace block_place(ir::Builder& b, const Dims& whole, const Dims& block, int first,
                                     const O&... offset) {
  ir::BlockPlace place;
  (ir::set_offset(place, whole, block, first++, offset_value(b, offset)), ...);
  bool narrow = true;
  for (const ir::Value& o : place.offsets) narrow = narrow && o.dtype() == DType::i32;
  for (ir::Value& o : place.offsets) o = ir::cast(o, narrow ? DType::i32 : DType::i64);
  return place;
}

}  // namespace detail

// By a size and an offset for every axis.
template <i64... Sizes>
struct DynamicSliceOp : Operation<DynamicSliceOp<Sizes...>> {
  template <ExprLike X, class... O>
  static constexpr auto apply(ir::Builder& b, const X& x, const O&... offset) {
    using S = typename X::shape;
    using Block = Shape<Sizes...>;
    constexpr bool counted = sizeof...(O) == sizeof...(Sizes), fits = detail::block_fits<S, Block>(),
                   integers = (detail::is_offset<O> && ... && true);
    static_assert(sizeof(OffsetsFit<counted, DynamicSliceOp, S, GivenSize<i64{sizeof...(O)}>>) > 0);
    static_assert(sizeof(OffsetIsInteger<integers, DynamicSliceOp, O...>) > 0);
    static_assert(sizeof(BlockFits<fits, DynamicSliceOp, S, Block>) > 0);
    if constexpr (counted && integers && fits)
      return Expr<typename X::dtype, Block>{ir::dynamic_slice(
          x.value, Block::value, detail::block_place(b, S::value, Block::value, 0, offset...))};
    else
      return detail::refused<typename X::dtype, Block>(x, offset...);
  }
};

// By a length and an offset of one axis.
template <int Axis, i64 Length>
struct DynamicNarrowOp : Operation<DynamicNarrowOp<Axis, Length>> {
  template <ExprLike X, class O>
  static constexpr auto apply(ir::Builder& b, const X& x, const O& start) {
    using S = typename X::shape;
    using Rule = detail::narrowed_rule<S, Axis, Length>;
    using Block = shape_of<Rule>;
    constexpr bool fits = !Rule::ok || detail::block_fits<S, Block>(), integer = detail::is_offset<O>;
    static_assert(sizeof(AxisInRange<Rule::ok, DynamicNarrowOp, S>) > 0);
    static_assert(sizeof(OffsetIsInteger<integer, DynamicNarrowOp, O>) > 0);
    static_assert(sizeof(BlockFits<fits, DynamicNarrowOp, S, Block>) > 0);
    if constexpr (Rule::ok && integer && fits)
      return Expr<typename X::dtype, Block>{ir::dynamic_slice(
          x.value, Block::value, detail::block_place(b, S::value, Block::value, Rule::axis, start))};
    else
      return detail::refused<typename X::dtype, Block>(x, start);
  }
};

namespace detail {
// `first`: the axis of the first offset.
template <class Op, class X, class Y, class... O>
constexpr auto update_block(ir::Builder& b, int first, const X& x, const Y& y, const O&... offset) {
  using S = typename X::shape;
  using Block = shape_of_operand<Y>;
  constexpr bool fits = block_fits<S, Block>(), integers = (is_offset<O> && ... && true),
                 alike = !is_expr<Y> || std::is_same_v<dtype_of_operand<Y>, typename X::dtype>;
  static_assert(sizeof(OffsetIsInteger<integers, Op, O...>) > 0);
  static_assert(sizeof(BlockFits<fits, Op, S, Block>) > 0);
  static_assert(sizeof(DtypesEqual<alike, Op, typename X::dtype, dtype_of_operand<Y>>) > 0);
  if constexpr (integers && fits && alike)
    return X{ir::dynamic_update_slice(x.value, as_value<typename X::dtype>(b, y),
                                      block_place(b, S::value, Block::value, first, offset...))};
  else
    return x;
}
}  // namespace detail

struct DynamicUpdateSliceOp : Operation<DynamicUpdateSliceOp> {
  template <ExprLike X, class Y, class... O>
  static constexpr auto apply(ir::Builder& b, const X& x, const Y& y, const O&... offset) {
    constexpr bool counted = sizeof...(O) == static_cast<std::size_t>(X::rank);
    static_assert(
        sizeof(OffsetsFit<counted, DynamicUpdateSliceOp, typename X::shape, GivenSize<i64{sizeof...(O)}>>) >
        0);
    if constexpr (counted)
      return detail::update_block<DynamicUpdateSliceOp>(b, 0, x, y, offset...);
    else
      return x;
  }
};

template <int Axis>
struct DynamicUpdateAxisOp : Operation<DynamicUpdateAxisOp<Axis>> {
  template <ExprLike X, class Y, class O>
  static constexpr auto apply(ir::Builder& b, const X& x, const Y& y, const O& start) {
    constexpr bool ok = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, DynamicUpdateAxisOp, typename X::shape>) > 0);
    if constexpr (ok)
      return detail::update_block<DynamicUpdateAxisOp>(b, normalize_axis(Axis, X::rank), x, y, start);
    else
      return x;
  }
};

// dynamic_slice<2, 3>(x, i, j): the 2 x 3 block of a matrix that begins at row i and column j.
// dynamic_slice<axis, length>(x, start): `length` places of one axis from `start` on, narrow<axis, start,
// length>(x) with a start that is known at run time.
template <i64... Sizes, class X, class... O>
constexpr auto dynamic_slice(const X& x, const O&... offset) {
  if constexpr (sizeof...(Sizes) == 2 && sizeof...(O) == 1)
    return []<i64 Axis, i64 Length>(std::integer_sequence<i64, Axis, Length>, const X& a, const auto& start) {
      return DynamicNarrowOp<static_cast<int>(Axis), Length>{}(a, start);
    }(std::integer_sequence<i64, Sizes...>{}, x, offset...);
  else
    return DynamicSliceOp<Sizes...>{}(x, offset...);
}
// dynamic_update_slice(x, y, i, j): x with y where dynamic_slice would read it. Assigned to the state x, it
// writes y alone.
template <class X, class Y, class... O>
constexpr auto dynamic_update_slice(const X& x, const Y& y, const O&... offset) {
  return DynamicUpdateSliceOp{}(x, y, offset...);
}
// dynamic_update_slice<axis>(x, y, start): y from `start` on along one axis.
template <int Axis, class X, class Y, class O>
constexpr auto dynamic_update_slice(const X& x, const Y& y, const O& start) {
  return DynamicUpdateAxisOp<Axis>{}(x, y, start);
}

}  // namespace WEFT_NAMESPACE
