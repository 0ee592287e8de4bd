#pragma once
// Triangles and diagonals of the last two axes, and matrices made from nothing. A triangle is a selection by
// index; a diagonal is a view.

#include "weft/ops/reduce/reduce.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// Row and column numbers as large as d; d has at least two axes.
constexpr ir::Value triangle_row(ir::Builder& b, const Dims& d) {
  return {&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(d.rank - 2))};
}
constexpr ir::Value triangle_column(ir::Builder& b, const Dims& d) {
  return {&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(d.rank - 1))};
}

template <class S, i64 Offset>
struct diagonal_rule {
  static constexpr bool ok = S::rank >= 2;
  static constexpr i64 rows = ok ? S::value.extent[S::rank >= 2 ? S::rank - 2 : 0] : 0;
  static constexpr i64 cols = ok ? S::value.extent[S::rank >= 2 ? S::rank - 1 : 0] : 0;
  static constexpr i64 left = Offset >= 0 ? cols - Offset : cols, up = Offset >= 0 ? rows : rows + Offset;
  static constexpr i64 shorter = left < up ? left : up;
  static constexpr i64 count = shorter > 0 ? shorter : 0;
  static constexpr i64 begin = count == 0 ? 0 : Offset >= 0 ? Offset : -Offset * cols;
  static constexpr Dims make() {
    Dims r = S::value;
    if (ok) {
      r.rank -= 1;
      r.extent[r.rank - 1] = count;
      r.extent[r.rank] = 0;
    }
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

// Keeps what lies on and below (Lower) or above the diagonal K places to the right of the main one; 0
// elsewhere.
template <bool Lower, i64 K>
struct TriangleOp : Operation<TriangleOp<Lower, K>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr bool ok = X::rank >= 2;
    static_assert(sizeof(RankIs<ok, TriangleOp, typename X::shape, GivenRank<2>>) > 0);
    if constexpr (!ok) {
      return x;
    } else {
      const ir::Value row = detail::triangle_row(b, X::shape::value),
                      column = detail::triangle_column(b, X::shape::value);
      const ir::Value edge = row + static_cast<double>(K);
      const ir::Value kept =
          Lower ? ir::binary(ir::Op::le, column, edge) : ir::binary(ir::Op::le, edge, column);
      return X{ir::select(kept, x.value, ir::constant_like(x.value, 0))};
    }
  }
};

template <i64 Offset>
struct DiagonalOp : Operation<DiagonalOp<Offset>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::diagonal_rule<typename X::shape, Offset>;
    static_assert(sizeof(RankIs<Rule::ok, DiagonalOp, typename X::shape, GivenRank<2>>) > 0);
    using S = shape_of<Rule>;
    if constexpr (!Rule::ok) {
      return x;
    } else {
      Dims flat = S::value;  // (..., rows * cols)
      flat.extent[flat.rank - 1] = Rule::rows * Rule::cols;
      ir::Slices axes;
      axes[flat.rank - 1] = {Rule::begin, Rule::cols + 1};
      return Expr<typename X::dtype, S>{ir::slice(ir::reshape(x.value, flat), axes, S::value)};
    }
  }
};

struct TraceOp : Operation<TraceOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(sizeof(RankIs<X::rank == 2, TraceOp, typename X::shape, GivenRank<2>>) > 0);
    return ReduceOp<ir::Op::reduce_sum, false>::apply(b, DiagonalOp<0>::apply(b, x));
  }
};

namespace detail {
template <class T, i64 N, i64 M>
struct EyeOp : Operation<EyeOp<T, N, M>> {
  using weft_creates = void;
  static constexpr auto apply(ir::Builder& b) {
    constexpr Dims d = Shape<N, M>::value;
    return Expr<T, Shape<N, M>>{
        ir::cast(ir::binary(ir::Op::eq, triangle_row(b, d), triangle_column(b, d)), dtype_of<T>)};
  }
};
}  // namespace detail

// tril<k>(x), triu<k>(x): the lower and the upper triangle of the last two axes.
template <i64 K = 0, class X>
constexpr auto tril(const X& x) {
  return TriangleOp<true, K>{}(x);
}
template <i64 K = 0, class X>
constexpr auto triu(const X& x) {
  return TriangleOp<false, K>{}(x);
}
// diagonal<offset>(x): of the last two axes, as the last axis of the result. (PyTorch's default is the first
// two: the same for a matrix; transpose<>() first for others.)
template <i64 Offset = 0, class X>
constexpr auto diagonal(const X& x) {
  return DiagonalOp<Offset>{}(x);
}
template <class X>
constexpr auto trace(const X& x) {
  return TraceOp{}(x);
}
// eye<f32, n>(), eye<f32, n, m>()
template <class T, i64 N, i64 M = N>
constexpr auto eye() {
  return detail::EyeOp<T, N, M>{}();
}

}  // namespace WEFT_NAMESPACE
