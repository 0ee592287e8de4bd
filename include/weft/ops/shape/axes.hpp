#pragma once
// Axes moved, joined, unflattened and turned, windows along an axis, repeated elements. Views where memory
// allows one.

#include "weft/ops/index/gather.hpp"
#include "weft/ops/shape/rearrange.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <class S, AxisList From, AxisList To>
struct movedim_rule {
  static constexpr bool ok = From.count == To.count && From.names(S::rank) && To.names(S::rank);
  struct List {
    i64 axis[8]{};
  };
  static constexpr List make_list() {
    List made;
    u32 moved = 0, taken = 0;
    for (int k = 0; ok && k < From.count; ++k) {
      made.axis[To.at(k, S::rank)] = From.at(k, S::rank);
      moved |= 1u << From.at(k, S::rank), taken |= 1u << To.at(k, S::rank);
    }
    for (int i = 0, n = 0; i < S::rank; ++i) {
      if (taken >> i & 1u) continue;
      while (moved >> n & 1u) ++n;
      made.axis[i] = n++;
    }
    return made;
  }
  static constexpr List list = make_list();
  static constexpr Dims make() { return ir::permuted(S::value, list.axis); }
  static constexpr Dims value = make();
};

template <class S, int Axis, i64... To>
struct unflatten_rule {
  static constexpr bool axis_ok = axis_in_range(Axis, S::rank);
  static constexpr int axis = axis_ok ? normalize_axis(Axis, S::rank) : 0;
  using Part = reshape_rule<Shape<(axis_ok ? S::value.extent[axis] : 1)>, To...>;
  static constexpr bool ok = axis_ok && Part::ok && S::rank + static_cast<int>(sizeof...(To)) - 1 <= max_rank;
  static constexpr Dims make() {
    Dims r;
    if (!ok) return S::value;
    for (int k = 0; k < S::rank; ++k) {
      if (k != axis) {
        r.extent[r.rank++] = S::value.extent[k];
        continue;
      }
      for (int j = 0; j < Part::value.rank; ++j) r.extent[r.rank++] = Part::value.extent[j];
    }
    return r;
  }
  static constexpr Dims value = make();
};

template <class S, int Axis, i64 Count>
struct interleave_rule {
  static constexpr bool ok = axis_in_range(Axis, S::rank) && S::rank < max_rank && Count >= 0;
  static constexpr int axis = ok ? normalize_axis(Axis, S::rank) : 0;
  static constexpr Dims apart(i64 count) {  // the axis, then a new one
    Dims r;
    for (int k = 0; k < S::rank; ++k) {
      r.extent[r.rank++] = S::value.extent[k];
      if (k == axis && ok) r.extent[r.rank++] = count;
    }
    return r;
  }
  static constexpr Dims value =
      ok ? ir::with_extent(S::value, axis, S::value.extent[axis] * Count) : S::value;
};

template <class S, int Axis, i64 Length, i64 Step>
struct unfold_rule {
  static constexpr bool axis_ok = axis_in_range(Axis, S::rank) && S::rank < max_rank;
  static constexpr int axis = axis_ok ? normalize_axis(Axis, S::rank) : 0;
  static constexpr i64 extent = axis_ok ? S::value.extent[axis] : 1;
  static constexpr bool ok = axis_ok && Length >= 1 && Length <= extent && Step >= 1;
  static constexpr i64 count = ok ? (extent - Length) / Step + 1 : 1;
  static constexpr Dims make() {
    Dims r = S::value;
    if (!ok) return r;
    r.extent[axis] = count;
    r.extent[r.rank++] = Length;
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

WEFT_REFUSAL(AxesMoved, "movedim takes as many places as axes, each of which exists and is named once");
WEFT_REFUSAL(WindowFits, "unfold: the axis must exist and hold a window, and the step be positive");

template <AxisList From, AxisList To>
struct MoveDimOp : Operation<MoveDimOp<From, To>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::movedim_rule<typename X::shape, From, To>;
    static_assert(sizeof(AxesMoved<Rule::ok, MoveDimOp, typename X::shape>) > 0);
    return Expr<typename X::dtype, shape_of<Rule>>{ir::permute(x.value, Rule::list.axis)};
  }
};

template <int Axis, i64... To>
struct UnflattenOp : Operation<UnflattenOp<Axis, To...>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::unflatten_rule<typename X::shape, Axis, To...>;
    static_assert(sizeof(AxisInRange<Rule::axis_ok, UnflattenOp, typename X::shape>) > 0);
    static_assert(sizeof(SizesEqual < Rule::ok || !Rule::axis_ok, UnflattenOp, typename X::shape >) > 0);
    return Expr<typename X::dtype, shape_of<Rule>>{ir::reshape(x.value, Rule::value)};
  }
};

// Every element Count times, one behind the other.
template <i64 Count, int Axis>
struct RepeatInterleaveOp : Operation<RepeatInterleaveOp<Count, Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::interleave_rule<typename X::shape, Axis, Count>;
    static_assert(sizeof(AxisInRange<Rule::ok, RepeatInterleaveOp, typename X::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (Rule::ok)
      return R{
          ir::reshape(ir::broadcast(ir::reshape(x.value, Rule::apart(1)), Rule::apart(Count)), Rule::value)};
    else
      return R{x.value};
  }
};

// Windows of Length elements, Step apart; where they do not overlap, a view.
template <int Axis, i64 Length, i64 Step>
struct UnfoldOp : Operation<UnfoldOp<Axis, Length, Step>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::unfold_rule<typename X::shape, Axis, Length, Step>;
    static_assert(sizeof(WindowFits<Rule::ok, UnfoldOp, typename X::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (!Rule::ok) {
      return R{x.value};
    } else {
      constexpr i64 flat = Rule::count * Length;
      constexpr int axis = Rule::axis;
      ir::Value v;
      if constexpr (Step == Length) {
        ir::Slices axes;
        v = ir::slice(x.value, axes, ir::with_extent(X::shape::value, axis, flat));
      } else {
        const Dims windows = Shape<Rule::count, Length>::value;
        const ir::Value row{&b, b.leaf(ir::Op::iota, DType::i32, windows, 0)};
        const ir::Value column{&b, b.leaf(ir::Op::iota, DType::i32, windows, 1)};
        const ir::Value place = row * static_cast<double>(Step) + column;
        v = ir::take_along_axis(x.value, detail::along(place, X::shape::value, axis), axis);
      }
      Dims apart;  // the windows, then what is in them
      i64 order[8]{};
      for (int k = 0, n = 0; k < X::rank; ++k) {
        apart.extent[apart.rank++] = k == axis ? Rule::count : X::shape::value.extent[k];
        if (k == axis) apart.extent[apart.rank++] = Length;
        order[k] = n++;
        if (k == axis) ++n;
      }
      order[X::rank] = axis + 1;
      return R{ir::permute(ir::reshape(v, apart), order)};
    }
  }
};

// By Times quarter turns from axis A towards axis B.
template <int Times, int A, int B>
struct Rot90Op : Operation<Rot90Op<Times, A, B>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr int turns = (Times % 4 + 4) % 4;
    if constexpr (turns == 0)
      return x;
    else if constexpr (turns == 1)
      return TransposeOp<A, B>::apply(b, FlipOp<B>::apply(b, x));
    else if constexpr (turns == 2)
      return FlipOp<A, B>::apply(b, x);
    else
      return FlipOp<B>::apply(b, TransposeOp<A, B>::apply(b, x));
  }
};

// movedim<from, to>(x), movedim<AxisList{0, 1}, AxisList{2, 0}>(x); swapaxes<a, b>(x) is transpose.
template <AxisList From, AxisList To, class X>
constexpr auto movedim(const X& x) {
  return MoveDimOp<From, To>{}(x);
}
template <int A, int B, class X>
constexpr auto swapaxes(const X& x) {
  return TransposeOp<A, B>{}(x);
}
// unflatten<axis, 2, -1>(x): one axis becomes several.
template <int Axis, i64... To, class X>
constexpr auto unflatten(const X& x) {
  return UnflattenOp<Axis, To...>{}(x);
}
template <class X>
constexpr auto ravel(const X& x) {
  return FlattenOp<0, -1>{}(x);
}
template <i64 Count, int Axis, class X>
constexpr auto repeat_interleave(const X& x) {
  return RepeatInterleaveOp<Count, Axis>{}(x);
}
// unfold<axis, length, step>(x): windows of an axis, their elements on a new last axis.
template <int Axis, i64 Length, i64 Step = 1, class X>
constexpr auto unfold(const X& x) {
  return UnfoldOp<Axis, Length, Step>{}(x);
}
template <int Times = 1, int A = 0, int B = 1, class X>
constexpr auto rot90(const X& x) {
  return Rot90Op<Times, A, B>{}(x);
}
template <class X>
constexpr auto flipud(const X& x) {
  return FlipOp<0>{}(x);
}
template <class X>
constexpr auto fliplr(const X& x) {
  return FlipOp<1>{}(x);
}

}  // namespace WEFT_NAMESPACE
