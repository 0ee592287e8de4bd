#pragma once
// Parts of a tensor along one axis, named at compile time: slice, narrow, select, split, chunk; and pad,
// which surrounds it. All but pad are views.

#include <limits>

#include "weft/ops/core/written.hpp"
#include "weft/ops/shape/movement.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// Python's slice rules: negative places count from the end, places outside are moved to the ends.
template <class S, int Axis, i64 Begin, i64 End, i64 Step>
struct slice_rule {
  static constexpr bool ok = axis_in_range(Axis, S::rank) && Step > 0;
  static constexpr int axis = ok ? normalize_axis(Axis, S::rank) : 0;
  static constexpr i64 extent = ok ? S::value.extent[axis] : 0;
  static constexpr i64 place(i64 i) {
    if (i < 0) i += extent;
    return i < 0 ? 0 : i > extent ? extent : i;
  }
  static constexpr i64 begin = place(Begin), end = place(End);
  static constexpr Dims make() {
    Dims r = S::value;
    if (ok) r.extent[axis] = end > begin ? (end - begin + Step - 1) / Step : 0;
    return r;
  }
  static constexpr Dims value = make();
};

template <class S, int Axis>
struct unsqueeze_rule {
  static constexpr bool ok = axis_in_range(Axis, S::rank + 1) && S::rank < max_rank;
  static constexpr int axis = ok ? normalize_axis(Axis, S::rank + 1) : 0;
  static constexpr Dims make() {
    Dims r;
    for (int i = 0; i <= S::rank; ++i) {
      if (i == axis && ok) r.extent[r.rank++] = 1;
      if (i < S::rank) r.extent[r.rank++] = S::value.extent[i];
    }
    return r;
  }
  static constexpr Dims value = make();
};

template <class S, int Axis>
struct drop_rule {
  static constexpr Dims make() {
    return ir::dropped(S::value, axis_in_range(Axis, S::rank) ? 1u << normalize_axis(Axis, S::rank) : 0u);
  }
  static constexpr Dims value = make();
};

}  // namespace detail

WEFT_REFUSAL(ShapeIsAsked,
             "split, chunk, unbind and their like cut a tensor, or a value of a traced function, whose shape "
             "tells into how many pieces: an expression of tensors is assigned to one first, Tensor<f32, "
             "Shape<4, 8>> t = a + b, and a layer is called, split<2>(fc(x))");
WEFT_REFUSAL(
    PiecesAreThere,
    "split<extent, axis>(x), chunk<count, axis>(x) and tensor_split<count, axis>(x) cut an axis into "
    "one piece or more, of an extent of 1 or more: write split<2>(x), chunk<4, 1>(x)");

namespace detail {

// The shape of anything that has one in its type.
template <class X>
constexpr auto shape_in_type() {
  static_assert(sizeof(ShapeIsAsked < ExprLike<X> || TensorLike<X>, X >) > 0);
  if constexpr (ExprLike<X>)
    return typename expr_of<X>::shape{};
  else if constexpr (TensorLike<X>)
    return typename X::shape{};
  else
    return Shape<>{};
}

// Widths of torch.nn.functional.pad: (low, high) of the last axis, then of the one before it, ...
template <class S, i64... Widths>
struct pad_rule {
  static constexpr int count = sizeof...(Widths);
  struct List {
    i64 width[2 * max_rank]{};
  };
  static constexpr List make_list() {
    List made;
    const i64 given[]{Widths..., 0};
    for (int i = 0; i + 1 < count && i / 2 < S::rank; i += 2) {
      const int axis = S::rank - 1 - i / 2;
      made.width[2 * axis] = given[i];
      made.width[2 * axis + 1] = given[i + 1];
    }
    return made;
  }
  static constexpr List list = make_list();
  static constexpr bool check() {
    if (count % 2 != 0 || count > 2 * S::rank) return false;
    for (int a = 0; a < S::rank; ++a)
      if (S::value.extent[a] + list.width[2 * a] + list.width[2 * a + 1] < 0) return false;
    return true;
  }
  static constexpr bool ok = check();
  static constexpr Dims value = ok ? ir::padded(S::value, list.width) : S::value;
};

}  // namespace detail

WEFT_REFUSAL(SliceFits, "slice: the axis must exist and the step be positive (flip turns an axis round)");
WEFT_REFUSAL(IndexInRange,
             "the index lies outside the axis: of n elements they are 0 to n - 1, and -n to -1 from the end; "
             "narrow<axis, start, length>(x) ends at start + length, which is at most n");
WEFT_REFUSAL(
    WidthsFit,
    "pad takes a low and a high width for each axis from the last, and may not crop more than there is");

template <int Axis, i64 Begin, i64 End, i64 Step>
struct SliceAxisOp : Operation<SliceAxisOp<Axis, Begin, End, Step>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::slice_rule<typename X::shape, Axis, Begin, End, Step>;
    static_assert(sizeof(SliceFits<Rule::ok, SliceAxisOp, typename X::shape>) > 0);
    ir::Slices axes;
    axes[Rule::axis] = {Rule::begin, Step};
    using S = shape_of<Rule>;
    if constexpr (Rule::ok)
      return Expr<typename X::dtype, S>{ir::slice(x.value, axes, S::value)};
    else
      return detail::refused<typename X::dtype, S>(x);
  }
};

template <int Axis, i64 Start, i64 Length>
struct NarrowOp : Operation<NarrowOp<Axis, Start, Length>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr i64 extent = axis_in_range(Axis, X::rank) ? X::shape::value[Axis] : 0;
    constexpr i64 start = Start < 0 ? Start + extent : Start;
    constexpr bool ok = axis_in_range(Axis, X::rank) && start >= 0 && Length >= 0 && start + Length <= extent;
    static_assert(sizeof(IndexInRange<ok, NarrowOp, typename X::shape>) > 0);
    if constexpr (ok)
      return SliceAxisOp<Axis, start, start + Length, 1>::apply(b, x);
    else
      return x;
  }
};

template <int Axis, i64 Place>
struct SelectIndexOp : Operation<SelectIndexOp<Axis, Place>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr i64 extent = axis_in_range(Axis, X::rank) ? X::shape::value[Axis] : 0;
    constexpr i64 index = Place < 0 ? Place + extent : Place;
    constexpr bool ok = axis_in_range(Axis, X::rank) && index >= 0 && index < extent;
    static_assert(sizeof(IndexInRange<ok, SelectIndexOp, typename X::shape>) > 0);
    using S = shape_of<detail::drop_rule<typename X::shape, Axis>>;
    if constexpr (ok)
      return Expr<typename X::dtype, S>{
          ir::reshape(SliceAxisOp<Axis, index, index + 1, 1>::apply(b, x).value, S::value)};
    else
      return detail::refused<typename X::dtype, S>(x);
  }
};

template <int Axis>
struct UnsqueezeOp : Operation<UnsqueezeOp<Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::unsqueeze_rule<typename X::shape, Axis>;
    static_assert(sizeof(AxisInRange<Rule::ok, UnsqueezeOp, typename X::shape>) > 0);
    using S = shape_of<Rule>;
    return Expr<typename X::dtype, S>{ir::reshape(x.value, S::value)};
  }
};

template <i64... Widths>
struct PadOp : Operation<PadOp<Widths...>> {
  // Around it a number that is known only at run time, or is no double: where a tensor of ones was not.
  template <class T, class S, class Rule, class X, class V>
  static constexpr auto framed(ir::Builder& b, const X& x, const V& value) {
    const ir::Value ones = ir::constant(b, DType::i32, X::shape::value, 1);
    const ir::Value frame = ir::pad(ones, Rule::list.width, 0);
    const ir::Value inside = ir::binary(ir::Op::ne, frame, ir::constant_like(frame, 0));
    return Expr<T, S>{
        ir::select(inside, ir::pad(x.value, Rule::list.width, 0), detail::written<PadOp, T>(b, value))};
  }
  template <ExprLike X, class V>
  static constexpr auto apply(ir::Builder& b, const X& x, const V& value) {
    using Rule = detail::pad_rule<typename X::shape, Widths...>;
    static_assert(sizeof(WidthsFit<Rule::ok, PadOp, typename X::shape>) > 0);
    using T = typename X::dtype;
    using S = shape_of<Rule>;
    if constexpr (!Rule::ok) {
      return detail::refused<T, S>(x);
    } else if constexpr (is_scalar_expr<V>) {
      return framed<T, S, Rule>(b, x, value);
    } else if (!detail::number_fits<T>(value)) {
      return detail::without_value<Expr<T, S>>(b, ir::Valueless::no_fit);
    } else {
      if constexpr (std::is_integral_v<V>)  // a fill is a double, which has not all of i64
        if (value >= i64{1} << 53 || value <= -(i64{1} << 53)) return framed<T, S, Rule>(b, x, value);
      return Expr<T, S>{ir::pad(x.value, Rule::list.width, static_cast<double>(value))};
    }
  }
};

// In place of an end: to the last element.
inline constexpr i64 to_end = std::numeric_limits<i64>::max();

// slice<axis, begin, end, step>(x): Python's x[begin:end:step] along an axis.
template <int Axis, i64 Begin = 0, i64 End = to_end, i64 Step = 1, class X>
constexpr auto slice(const X& x) {
  return SliceAxisOp<Axis, Begin, End, Step>{}(x);
}
template <int Axis, i64 Start, i64 Length, class X>
constexpr auto narrow(const X& x) {
  return NarrowOp<Axis, Start, Length>{}(x);
}
// select<axis, index>(x): one place of an axis, which goes.
template <int Axis, i64 Place, class X>
constexpr auto select(const X& x) {
  return SelectIndexOp<Axis, Place>{}(x);
}
template <int Axis, class X>
constexpr auto unsqueeze(const X& x) {
  return UnsqueezeOp<Axis>{}(x);
}
// split<size, axis>(x): a tuple of pieces of that extent, the last one smaller where it does not fit.
template <i64 Size, int Axis = 0, class X>
constexpr auto split(const X& x) {
  using S = decltype(detail::shape_in_type<X>());
  static_assert(sizeof(PiecesAreThere<(Size > 0), GivenSize<Size>, S>) > 0);
  constexpr bool ok = axis_in_range(Axis, S::rank);
  static_assert(sizeof(AxisInRange<ok, SliceAxisOp<Axis, 0, Size, 1>, S>) > 0);
  if constexpr (Size > 0 && ok) {
    constexpr i64 pieces = (S::value[Axis] + Size - 1) / Size;
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple{
          SliceAxisOp<Axis, static_cast<i64>(K) * Size, (static_cast<i64>(K) + 1) * Size, 1>{}(x)...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(pieces)>{});
  } else {
    return AfterRefusal{};
  }
}
// chunk<n, axis>(x): at most n pieces of equal extent, as PyTorch cuts them.
template <i64 Count, int Axis = 0, class X>
constexpr auto chunk(const X& x) {
  using S = decltype(detail::shape_in_type<X>());
  static_assert(sizeof(PiecesAreThere<(Count > 0), GivenSize<Count>, S>) > 0);
  constexpr i64 extent = axis_in_range(Axis, S::rank) ? S::value[Axis] : 1;
  return split<(Count > 0 ? (extent + Count - 1) / Count : 0), Axis>(x);
}
// pad<1, 2>(x, value): one element before and two after the last axis; more pairs for the axes before it.
template <i64... Widths, class X, class V = int>
constexpr auto pad(const X& x, const V& value = 0) {
  return PadOp<Widths...>{}(x, detail::fitting<detail::dtype_in_type<X>>(value));
}

}  // namespace WEFT_NAMESPACE
