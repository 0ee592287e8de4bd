#pragma once
// Running folds along one axis, with PyTorch's names: cumsum, cumprod, cummax, cummin, logcumsumexp; and
// diff. A fold is one kernel.

#include "weft/ir/along_axis.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

// Integers and booleans add and multiply in i64, as in PyTorch.
template <int Axis, ir::Fold fold>
struct ScanOp : Operation<ScanOp<Axis, fold>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    constexpr bool ok = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, ScanOp, typename X::shape>) > 0);
    using T0 = typename X::dtype;
    using T = std::conditional_t<fold == ir::Fold::sum || fold == ir::Fold::prod, detail::sum_type<T0>,
                                 std::conditional_t<fold == ir::Fold::logaddexp, floating<T0>, T0>>;
    using R = Expr<T, typename X::shape>;
    const ir::Value v = ir::cast(x.value, dtype_of<T>);
    if constexpr (ok)
      return R{ir::scan(v, normalize_axis(Axis, X::rank), false, fold)};
    else
      return R{v};
  }
};

// The place of each running extremum: the last of equals.
template <int Axis, ir::Fold fold>
struct ScanPlacesOp : Operation<ScanPlacesOp<Axis, fold>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr int axis = axis_in_range(Axis, X::rank) ? normalize_axis(Axis, X::rank) : 0;
    using R = Expr<i64, typename X::shape>;
    const auto y = ScanOp<Axis, fold>::apply(b, x);
    ir::Value hit = ir::binary(ir::Op::eq, x.value, y.value);
    if constexpr (is_float(dtype_of<typename X::dtype>))
      hit = ir::binary(ir::Op::bit_or, hit, ir::unary(ir::Op::is_nan, x.value));
    const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i64, X::shape::value, static_cast<u64>(axis))};
    const ir::Value none = ir::constant_like(place, 0);
    return R{ir::scan(ir::select(hit, place, none), axis, false, ir::Fold::max)};
  }
};

// x[1:] - x[:-1] along the axis, N times; of booleans, whether neighbours differ.
template <int N, int Axis>
struct DiffOp : Operation<DiffOp<N, Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr bool ok = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, DiffOp, typename X::shape>) > 0);
    if constexpr (!ok || N <= 0) {
      return x;
    } else {
      const auto later = SliceAxisOp<Axis, 1, to_end, 1>::apply(b, x);
      const auto sooner = SliceAxisOp<Axis, 0, -1, 1>::apply(b, x);
      if constexpr (std::is_same_v<typename X::dtype, bool>)
        return DiffOp<N - 1, Axis>::apply(b, ne(later, sooner));
      else
        return DiffOp<N - 1, Axis>::apply(b, sub(later, sooner));
    }
  }
};

template <int Axis, class X>
constexpr auto cumsum(const X& x) {
  return ScanOp<Axis, ir::Fold::sum>{}(x);
}
template <int Axis, class X>
constexpr auto cumprod(const X& x) {
  return ScanOp<Axis, ir::Fold::prod>{}(x);
}
template <int Axis, class X>
constexpr auto logcumsumexp(const X& x) {
  return ScanOp<Axis, ir::Fold::logaddexp>{}(x);
}
// cummax<axis>(x), cummin<axis>(x): a tuple of the running extrema and their places.
template <int Axis, class X>
constexpr auto cummax(const X& x) {
  return std::tuple{ScanOp<Axis, ir::Fold::max>{}(x), ScanPlacesOp<Axis, ir::Fold::max>{}(x)};
}
template <int Axis, class X>
constexpr auto cummin(const X& x) {
  return std::tuple{ScanOp<Axis, ir::Fold::min>{}(x), ScanPlacesOp<Axis, ir::Fold::min>{}(x)};
}
// diff<axis>(x), diff<axis, n>(x)
template <int Axis = -1, int N = 1, class X>
constexpr auto diff(const X& x) {
  return DiffOp<N, Axis>{}(x);
}

}  // namespace WEFT_NAMESPACE
