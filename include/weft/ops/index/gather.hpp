#pragma once
// Elements by index along an axis, with PyTorch's names: gather, take_along_dim, index_select, take. Negative
// indices count from the end; one outside gives NaN (0 for integers), where PyTorch raises an error: an Error
// where it comes from an argument in host memory, or under check::indices.

#include "weft/ir/along_axis.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(IndexIsInteger,
             "the index must be integers (i32 or i64), as in<i64, 32> or cast<i64>(index) gives them");
WEFT_REFUSAL(
    IndexIsSecond,
    "the index is the second operand, and here another holds the integers: write gather<1>(x, index), "
    "take_along_dim<1>(x, index), index_select<1>(x, index), scatter<1>(x, index, source); floating ones are "
    "cast<i64>(index)");
WEFT_REFUSAL(IndexFits,
             "the index does not fit: it needs the tensor's number of axes, and off the axis it may not be "
             "longer than the tensor; unsqueeze<1>(index) adds an axis");

namespace detail {

// Whether an index is a tensor of integers; refused where not, and where Other, another operand, is one, as
// the two exchanged.
template <class Op, class I, class Other = I>
constexpr auto index_is_integer() {
  constexpr bool integer = is_integer(dtype_of<I>);
  constexpr bool exchanged = !integer && is_integer(dtype_of<Other>);
  static_assert(sizeof(IndexIsSecond<!exchanged, Op, I, Other>) > 0);
  static_assert(sizeof(IndexIsInteger < integer || exchanged, Op, I >) > 0);
  return integer;
}
constexpr ir::Value as_index(ir::Value v) {
  return v.dtype() == DType::i32 || v.dtype() == DType::i64 ? v : ir::cast(v, DType::i64);
}
// The first extents of v, as many as `to` has: a view.
constexpr ir::Value cropped(ir::Value v, const Dims& to) {
  ir::Slices axes;
  return ir::slice(v, axes, to);
}
// A vector of indices as it lies along one axis of `like`, the same for all others.
constexpr ir::Value along(ir::Value index, const Dims& like, int axis) {
  Dims flat = like;
  for (int k = 0; k < like.rank; ++k) flat.extent[k] = 1;
  flat.extent[axis] = index.dims().size();
  return ir::broadcast(ir::reshape(index, flat), ir::with_extent(like, axis, flat.extent[axis]));
}

template <class X, class I, int Axis>
struct gather_rule {
  static constexpr bool check() {
    if (!axis_in_range(Axis, X::rank) || X::rank != I::rank) return false;
    for (int k = 0; k < X::rank; ++k)
      if (k != normalize_axis(Axis, X::rank) && I::value.extent[k] > X::value.extent[k]) return false;
    return true;
  }
  static constexpr bool ok = check();
};

template <class X, int Axis, i64 Count>
struct selected_rule {
  static constexpr bool ok = axis_in_range(Axis, X::rank);
  static constexpr int axis = ok ? normalize_axis(Axis, X::rank) : 0;
  static constexpr Dims value = ok ? ir::with_extent(X::value, axis, Count) : X::value;
};

// Both shapes broadcast to each other but for the axis.
template <class X, class I, int Axis>
struct along_rule {
  static constexpr bool ranked = X::rank == I::rank && axis_in_range(Axis, X::rank);
  static constexpr int axis = ranked ? normalize_axis(Axis, X::rank) : 0;
  static constexpr Dims x_flat = ranked ? ir::with_extent(X::value, axis, 1) : Dims{};
  static constexpr Dims i_flat = ranked ? ir::with_extent(I::value, axis, 1) : Dims{};
  static constexpr bool ok = ranked && broadcastable(x_flat, i_flat);
  static constexpr Dims both = ok ? broadcast(x_flat, i_flat) : Dims{};
  static constexpr Dims table = ok ? ir::with_extent(both, axis, X::value.extent[axis]) : X::value;
  static constexpr Dims value = ok ? ir::with_extent(both, axis, I::value.extent[axis]) : I::value;
};

}  // namespace detail

template <int Axis>
struct GatherOp : Operation<GatherOp<Axis>> {
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder&, const X& x, const I& index) {
    constexpr bool integer = detail::index_is_integer<GatherOp, typename I::dtype, typename X::dtype>();
    constexpr bool ok = detail::gather_rule<typename X::shape, typename I::shape, Axis>::ok;
    static_assert(sizeof(IndexFits<ok, GatherOp, typename X::shape, typename I::shape>) > 0);
    using R = Expr<typename X::dtype, typename I::shape>;
    if constexpr (ok && integer) {
      constexpr int axis = normalize_axis(Axis, X::rank);
      const Dims near = ir::with_extent(I::shape::value, axis, X::shape::value.extent[axis]);
      return R{ir::take_along_axis(detail::cropped(x.value, near), detail::as_index(index.value), axis)};
    } else {
      return detail::refused<typename R::dtype, typename R::shape>(x, index);
    }
  }
};

template <int Axis>
struct TakeAlongOp : Operation<TakeAlongOp<Axis>> {
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder&, const X& x, const I& index) {
    using Rule = detail::along_rule<typename X::shape, typename I::shape, Axis>;
    constexpr bool integer = detail::index_is_integer<TakeAlongOp, typename I::dtype, typename X::dtype>();
    static_assert(sizeof(ShapesBroadcast<Rule::ok, TakeAlongOp, typename X::shape, typename I::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (Rule::ok && integer)
      return R{ir::take_along_axis(ir::broadcast(x.value, Rule::table),
                                   ir::broadcast(detail::as_index(index.value), Rule::value), Rule::axis)};
    else
      return detail::refused<typename R::dtype, typename R::shape>(x, index);
  }
};

// Slices of x by a vector of indices.
template <int Axis>
struct IndexSelectOp : Operation<IndexSelectOp<Axis>> {
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder&, const X& x, const I& index) {
    using Rule = detail::selected_rule<typename X::shape, Axis, I::shape::size>;
    constexpr bool integer = detail::index_is_integer<IndexSelectOp, typename I::dtype, typename X::dtype>();
    static_assert(sizeof(AxisInRange<Rule::ok, IndexSelectOp, typename X::shape>) > 0);
    static_assert(sizeof(RankIs<I::rank <= 1, IndexSelectOp, typename I::shape, GivenRank<1>>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (Rule::ok && integer)
      return R{ir::take_along_axis(
          x.value, detail::along(detail::as_index(index.value), X::shape::value, Rule::axis), Rule::axis)};
    else
      return detail::refused<typename R::dtype, typename R::shape>(x, index);
  }
};

// Elements of the flattened tensor.
struct TakeFlatOp : Operation<TakeFlatOp> {
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder&, const X& x, const I& index) {
    constexpr bool integer = detail::index_is_integer<TakeFlatOp, typename I::dtype, typename X::dtype>();
    using R = Expr<typename X::dtype, typename I::shape>;
    if constexpr (integer) {
      const ir::Value flat = ir::reshape(x.value, Shape<X::shape::size>::value);
      const ir::Value at = ir::reshape(detail::as_index(index.value), Shape<I::shape::size>::value);
      return R{ir::reshape(ir::take_along_axis(flat, at, 0), I::shape::value)};
    } else {
      return detail::refused<typename R::dtype, typename R::shape>(x, index);
    }
  }
};

// gather<axis>(x, index): x at index along the axis, element by element; the result has the index's shape.
template <int Axis, class X, class I>
constexpr auto gather(const X& x, const I& index) {
  return GatherOp<Axis>{}(x, index);
}
// take_along_dim<axis>(x, index): the same, broadcasting; without an axis, of the flattened tensor, by the
// flattened index.
template <int Axis, class X, class I>
constexpr auto take_along_dim(const X& x, const I& index) {
  return TakeAlongOp<Axis>{}(x, index);
}
template <class X, class I>
constexpr auto take_along_dim(const X& x, const I& index) {
  return TakeFlatOp{}(x, ReshapeOp<-1>{}(index));
}
template <int Axis, class X, class I>
constexpr auto index_select(const X& x, const I& index) {
  return IndexSelectOp<Axis>{}(x, index);
}
template <class X, class I>
constexpr auto take(const X& x, const I& index) {
  return TakeFlatOp{}(x, index);
}

}  // namespace WEFT_NAMESPACE
