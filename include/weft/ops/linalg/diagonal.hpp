#pragma once
// Diagonals of any two axes, as views and as matrices: torch.diagonal, diag, diag_embed, diagflat.

#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/triangular.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <class S, i64 Offset, int A, int B>
struct diagonal_axes_rule {
  static constexpr bool axes_ok = axis_in_range(A, S::rank) && axis_in_range(B, S::rank) &&
                                  normalize_axis(A, S::rank) != normalize_axis(B, S::rank);
  static constexpr int a = axes_ok ? normalize_axis(A, S::rank) : 0;
  static constexpr int b = axes_ok ? normalize_axis(B, S::rank) : 0;
  static constexpr i64 rows = axes_ok ? S::value.extent[a] : 1, cols = axes_ok ? S::value.extent[b] : 1;
  static constexpr i64 left = Offset >= 0 ? cols - Offset : cols, up = Offset >= 0 ? rows : rows + Offset;
  static constexpr i64 shorter = left < up ? left : up, count = shorter > 0 ? shorter : 0;
  static constexpr Dims make() {
    Dims r;
    if (!axes_ok) return S::value;
    for (int k = 0; k < S::rank; ++k)
      if (k != a && k != b) r.extent[r.rank++] = S::value.extent[k];
    r.extent[r.rank++] = count;
    return r;
  }
  static constexpr Dims value = make();
};

template <class S, i64 Offset, int A, int B>
struct embed_rule {
  static constexpr int rank = S::rank + 1;
  static constexpr bool ok = S::rank >= 1 && rank <= max_rank && axis_in_range(A, rank) &&
                             axis_in_range(B, rank) && normalize_axis(A, rank) != normalize_axis(B, rank);
  static constexpr i64 shift = Offset < 0 ? -Offset : Offset;
  static constexpr i64 side = (ok ? S::value.extent[S::rank > 0 ? S::rank - 1 : 0] : 0) + shift;
  static constexpr Dims make_last() {  // rows and columns last
    Dims r = S::value;
    if (!ok) return r;
    r.extent[S::rank - 1] = side;
    r.extent[r.rank++] = side;
    return r;
  }
  static constexpr Dims last = make_last();
  struct List {
    i64 axis[8]{};
  };
  static constexpr List make_list() {
    List made;
    const int a = ok ? normalize_axis(A, rank) : 0, b = ok ? normalize_axis(B, rank) : 0;
    for (int k = 0, n = 0; ok && k < rank; ++k) made.axis[k] = k == a ? rank - 2 : k == b ? rank - 1 : n++;
    return made;
  }
  static constexpr List list = make_list();
  static constexpr Dims value = ok ? ir::permuted(last, list.axis) : S::value;
};

}  // namespace detail

// The diagonal of axes A and B, as the last axis; a view where they are neighbours.
template <i64 Offset, int A, int B>
struct DiagonalAxesOp : Operation<DiagonalAxesOp<Offset, A, B>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::diagonal_axes_rule<typename X::shape, Offset, A, B>;
    static_assert(sizeof(AxisInRange<Rule::axes_ok, DiagonalAxesOp, typename X::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (!Rule::axes_ok) {
      return R{x.value};
    } else {
      // b right behind a; then both as one axis, of which every (columns + 1)th place counts
      i64 order[8]{};
      int n = 0, at = 0;
      for (int k = 0; k < X::rank; ++k) {
        if (k == Rule::b) continue;
        if (k == Rule::a) at = n;
        order[n++] = k;
        if (k == Rule::a) order[n++] = Rule::b;
      }
      Dims d = ir::permuted(X::shape::value, order), joined;
      for (int k = 0; k < d.rank; ++k) {
        if (k == at + 1)
          joined.extent[at] *= d.extent[k];
        else
          joined.extent[joined.rank++] = d.extent[k];
      }
      ir::Slices axes;
      axes[at] = {Rule::count == 0 ? 0 : Offset >= 0 ? Offset : -Offset * Rule::cols, Rule::cols + 1};
      const Dims cut = ir::with_extent(joined, at, Rule::count);
      const ir::Value v = ir::slice(ir::reshape(ir::permute(x.value, order), joined), axes, cut);
      i64 behind[8]{};
      int m = 0;
      for (int k = 0; k < cut.rank; ++k)
        if (k != at) behind[m++] = k;
      behind[m] = at;
      return R{ir::permute(v, behind)};
    }
  }
};

// x's last axis as the diagonal of new axes A and B.
template <i64 Offset, int A, int B>
struct DiagEmbedOp : Operation<DiagEmbedOp<Offset, A, B>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::embed_rule<typename X::shape, Offset, A, B>;
    static_assert(sizeof(AxisInRange<Rule::ok, DiagEmbedOp, typename X::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (!Rule::ok) {
      return R{x.value};
    } else {
      i64 widths[16]{};
      widths[2 * (X::rank - 1) + (Offset < 0 ? 0 : 1)] = Rule::shift;
      Dims column = Rule::last;
      column.extent[column.rank - 1] = 1;
      const ir::Value line = ir::reshape(ir::pad(x.value, widths, 0), column);
      const ir::Value row = detail::triangle_row(b, Rule::last),
                      place = detail::triangle_column(b, Rule::last);
      const ir::Value hit = ir::binary(ir::Op::eq, place, row + static_cast<double>(Offset));
      const ir::Value v = ir::select(hit, ir::broadcast(line, Rule::last),
                                     ir::constant(b, dtype_of<typename X::dtype>, Rule::last, 0));
      return R{ir::permute(v, Rule::list.axis)};
    }
  }
};

// A vector's matrix, or a matrix's diagonal.
template <i64 Offset>
struct DiagOp : Operation<DiagOp<Offset>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(sizeof(RankIs < X::rank == 1 || X::rank == 2, DiagOp, typename X::shape, GivenRank < 2 >>) >
                  0);
    if constexpr (X::rank == 1)
      return DiagEmbedOp<Offset, 0, 1>::apply(b, x);
    else
      return DiagonalOp<Offset>::apply(b, x);
  }
};

// diagonal<offset, a, b>(x): of any two axes.
template <i64 Offset, int A, int B, class X>
constexpr auto diagonal(const X& x) {
  return DiagonalAxesOp<Offset, A, B>{}(x);
}
template <i64 Offset = 0, class X>
constexpr auto diag(const X& x) {
  return DiagOp<Offset>{}(x);
}
template <i64 Offset = 0, int A = -2, int B = -1, class X>
constexpr auto diag_embed(const X& x) {
  return DiagEmbedOp<Offset, A, B>{}(x);
}
template <i64 Offset = 0, class X>
constexpr auto diagflat(const X& x) {
  return DiagEmbedOp<Offset, 0, 1>{}(ravel(x));
}

}  // namespace WEFT_NAMESPACE
