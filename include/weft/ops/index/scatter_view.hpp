#pragma once
// A tensor with another one written into a view of it, or where a mask is true: torch.select_scatter,
// slice_scatter, diagonal_scatter, masked_scatter, put. Everything gives a new tensor.

#include "weft/ops/index/scatter.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/products.hpp"

namespace WEFT_NAMESPACE {

// What: the shape of the view, then that of the source.
WEFT_REFUSAL(SourceFitsView, "the source must have the shape of the view that it is written into");

// src where x[begin:end:step] of an axis lies.
template <int Axis, i64 Begin, i64 End, i64 Step>
struct SliceScatterOp : Operation<SliceScatterOp<Axis, Begin, End, Step>> {
  template <ExprLike X, ExprLike U>
  static constexpr auto apply(ir::Builder& b, const X& x, const U& source) {
    using Rule = detail::slice_rule<typename X::shape, Axis, Begin, End, Step>;
    static_assert(sizeof(SliceFits<Rule::ok, SliceScatterOp, typename X::shape>) > 0);
    constexpr bool fits = !Rule::ok || U::shape::value == Rule::value;
    static_assert(sizeof(SourceFitsView<fits, SliceScatterOp, shape_of<Rule>, typename U::shape>) > 0);
    if constexpr (!Rule::ok || !fits || shape_of<Rule>::size == 0) {
      return x;
    } else {
      // each element of the source with Step - 1 behind it, then moved to its place
      constexpr int axis = Rule::axis;
      constexpr i64 count = Rule::value.extent[axis], extent = Rule::extent;
      Dims apart, wide = Rule::value;
      i64 stretch[2 * max_rank]{}, move[2 * max_rank]{};
      ir::Value v = detail::written<SliceScatterOp, typename X::dtype>(b, source);
      if constexpr (Step > 1) {
        // (in front, count, 1, behind)
        apart.rank = 4;
        apart.extent[0] = apart.extent[2] = apart.extent[3] = 1;
        apart.extent[1] = count;
        for (int k = 0; k < X::rank; ++k)
          if (k != axis) apart.extent[k < axis ? 0 : 3] *= Rule::value.extent[k];
        stretch[5] = Step - 1;
        wide.extent[axis] = count * Step;
        v = ir::reshape(ir::pad(ir::reshape(v, apart), stretch, 0), wide);
      }
      move[2 * axis] = Rule::begin;
      move[2 * axis + 1] = extent - Rule::begin - wide.extent[axis];
      const ir::Value placed = ir::pad(v, move, 0);
      const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, X::shape::value, static_cast<u64>(axis))};
      const auto number = [&](i64 n) { return ir::constant_like(place, static_cast<double>(n)); };
      ir::Value inside = ir::binary(ir::Op::bit_and, ir::binary(ir::Op::le, number(Rule::begin), place),
                                    ir::binary(ir::Op::lt, place, number(Rule::end)));
      if constexpr (Step > 1)
        inside = ir::binary(
            ir::Op::bit_and, inside,
            ir::binary(ir::Op::eq, ir::binary(ir::Op::fmod, place - number(Rule::begin), number(Step)),
                       number(0)));
      return X{ir::select(inside, placed, x.value)};
    }
  }
};

template <int Axis, i64 Place>
struct SelectScatterOp : Operation<SelectScatterOp<Axis, Place>> {
  template <ExprLike X, ExprLike U>
  static constexpr auto apply(ir::Builder& b, const X& x, const U& source) {
    constexpr i64 extent = axis_in_range(Axis, X::rank) ? X::shape::value[Axis] : 0;
    constexpr i64 place = Place < 0 ? Place + extent : Place;
    constexpr bool ok = axis_in_range(Axis, X::rank) && place >= 0 && place < extent;
    static_assert(sizeof(IndexInRange<ok, SelectScatterOp, typename X::shape>) > 0);
    using View = shape_of<detail::drop_rule<typename X::shape, Axis>>;
    constexpr bool fits = !ok || std::is_same_v<typename U::shape, View>;
    static_assert(sizeof(SourceFitsView<fits, SelectScatterOp, View, typename U::shape>) > 0);
    if constexpr (ok && fits)
      return SliceScatterOp<Axis, place, place + 1, 1>::apply(
          b, x, UnsqueezeOp<(Axis < 0 ? Axis + X::rank : Axis)>::apply(b, source));
    else
      return x;
  }
};

// src on the diagonal of axes A and B, its last axis along it.
template <i64 Offset, int A, int B>
struct DiagonalScatterOp : Operation<DiagonalScatterOp<Offset, A, B>> {
  template <ExprLike X, ExprLike U>
  static constexpr auto apply(ir::Builder& b, const X& x, const U& source) {
    using Rule = detail::diagonal_axes_rule<typename X::shape, Offset, A, B>;
    static_assert(sizeof(AxisInRange<Rule::axes_ok, DiagonalScatterOp, typename X::shape>) > 0);
    constexpr bool fits = !Rule::axes_ok || U::shape::value == Rule::value;
    static_assert(sizeof(SourceFitsView<fits, DiagonalScatterOp, shape_of<Rule>, typename U::shape>) > 0);
    if constexpr (!Rule::axes_ok || !fits || Rule::count == 0) {
      return x;
    } else {
      constexpr Dims d = X::shape::value;
      // element i of the diagonal lies in row i and column i + Offset, or in row i - Offset and column i
      constexpr bool by_row = Offset >= 0;
      constexpr int along = by_row ? Rule::a : Rule::b, across = by_row ? Rule::b : Rule::a;
      i64 widths[2 * max_rank]{};
      widths[2 * (U::rank - 1) + 1] = d.extent[along] - Rule::count;
      ir::Value v = ir::pad(detail::written<DiagonalScatterOp, typename X::dtype>(b, source), widths, 0);
      Dims line = v.dims();  // (others..., along, 1)
      line.extent[line.rank++] = 1;
      i64 order[8]{};
      for (int k = 0, n = 0; k < d.rank; ++k)
        order[k] = k == along ? d.rank - 2 : k == across ? d.rank - 1 : n++;
      v = ir::broadcast(ir::permute(ir::reshape(v, line), order), d);
      const ir::Value row{&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(Rule::a))};
      const ir::Value column{&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(Rule::b))};
      const ir::Value hit = ir::binary(ir::Op::eq, column, row + static_cast<double>(Offset));
      return X{ir::select(hit, v, x.value)};
    }
  }
};

WEFT_REFUSAL(
    ScatterMaskIsBoolean,
    "masked_scatter: the mask is boolean, true where an element is replaced: masked_scatter(x, mask != 0, "
    "source)");
// The first elements of src, in order, where the mask is true; where it has too few, NaN, or 0 of integers.
struct MaskedScatterOp : Operation<MaskedScatterOp> {
  template <ExprLike X, ExprLike M, ExprLike U>
  static constexpr auto apply(ir::Builder& b, const X& x, const M& mask, const U& source) {
    static_assert(sizeof(ScatterMaskIsBoolean<std::is_same_v<typename M::dtype, bool>, MaskedScatterOp,
                                              typename M::dtype>) > 0);
    using S = decltype(detail::broadcast_shapes<MaskedScatterOp, X, M>());
    const i64 size[]{S::size}, sources[]{U::shape::size};
    const Dims flat = ir::make_dims(1, size);
    const ir::Value m = ir::reshape(ir::broadcast(mask.value, S::value), flat);
    const ir::Value rank = ir::scan(ir::cast(m, DType::i64), 0, false, ir::Fold::sum) - 1.0;
    const ir::Value at = ir::select(m, rank, ir::constant_like(rank, 0));  // not one that counts from the end
    const ir::Value v =
        ir::take_along_axis(ir::reshape(detail::written<MaskedScatterOp, typename X::dtype>(b, source),
                                        ir::make_dims(1, sources)),
                            at, 0);
    const ir::Value kept = ir::reshape(ir::broadcast(x.value, S::value), flat);
    return Expr<typename X::dtype, S>{ir::reshape(ir::select(m, v, kept), S::value)};
  }
};

// src at places of the flattened tensor.
template <bool Accumulate>
struct PutOp : Operation<PutOp<Accumulate>> {
  template <ExprLike X, ExprLike I, ExprLike U>
  static constexpr auto apply(ir::Builder& b, const X& x, const I& index, const U& source) {
    constexpr bool same = U::shape::size == I::shape::size;
    static_assert(sizeof(SizesEqual<same, PutOp, typename I::shape, typename U::shape>) > 0);
    if constexpr (!same) {
      return x;
    } else {
      const auto flat = ReshapeOp<X::shape::size>::apply(b, x);
      const auto at = ReshapeOp<I::shape::size>::apply(b, index);
      const auto u = ReshapeOp<U::shape::size>::apply(b, source);
      if constexpr (Accumulate)
        return X{ir::reshape(ScatterReduceOp<0, Reduction::sum, true>::apply(b, flat, at, u).value,
                             X::shape::value)};
      else
        return X{ir::reshape(ScatterOp<0>::apply(b, flat, at, u).value, X::shape::value)};
    }
  }
};

// slice_scatter<axis, begin, end, step>(x, src): src in place of slice<axis, begin, end, step>(x).
template <int Axis, i64 Begin = 0, i64 End = to_end, i64 Step = 1, class X, class U>
constexpr auto slice_scatter(const X& x, const U& src) {
  return SliceScatterOp<Axis, Begin, End, Step>{}(x, src);
}
// select_scatter<axis, place>(x, src): src in place of select<axis, place>(x).
template <int Axis, i64 Place, class X, class U>
constexpr auto select_scatter(const X& x, const U& src) {
  return SelectScatterOp<Axis, Place>{}(x, src);
}
// diagonal_scatter<offset, a, b>(x, src): src in place of diagonal<offset, a, b>(x); the first two axes as in
// PyTorch.
template <i64 Offset = 0, int A = 0, int B = 1, class X, class U>
constexpr auto diagonal_scatter(const X& x, const U& src) {
  return DiagonalScatterOp<Offset, A, B>{}(x, src);
}
// masked_scatter(x, mask, src): x and mask broadcast.
template <class X, class M, class U>
constexpr auto masked_scatter(const X& x, const M& mask, const U& src) {
  return MaskedScatterOp{}(x, mask, src);
}
// put(x, index, src), put<true>(...) to add: as scatter in the flattened tensor.
template <bool Accumulate = false, class X, class I, class U>
constexpr auto put(const X& x, const I& index, const U& src) {
  return PutOp<Accumulate>{}(x, index, src);
}

}  // namespace WEFT_NAMESPACE
