#pragma once
// Frames made of the tensor itself: pad<PaddingMode::reflect, 1, 2>(x), beside pad<1, 2>(x, value) of
// slicing.hpp, whose frame is one number.

#include "weft/ops/nn/window_options.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(FrameFits,
             "a reflected frame must be narrower than the axis it surrounds, a circular one no wider, and "
             "an axis without an element has no frame of its own");

namespace detail {

// Whether a frame can be made of an axis of that extent.
constexpr bool frame_fits(PaddingMode mode, i64 low, i64 high, i64 extent) {
  const i64 wide = low > high ? low : high;
  switch (mode) {
    case PaddingMode::reflect:
      return wide < extent || wide <= 0;
    case PaddingMode::circular:
      return wide <= extent;
    case PaddingMode::replicate:
      return extent > 0 || wide <= 0;
    default:
      return true;
  }
}

// `low` and `high` more places at the ends of an axis, made of x.
constexpr ir::Value framed(ir::Value x, int axis, i64 low, i64 high, PaddingMode mode) {
  ir::Builder& b = *x.builder;
  const Dims d = x.dims();
  const i64 extent = d.extent[axis];
  Dims wide = d;
  wide.extent[axis] += low + high;
  i64 widths[2 * max_rank]{};
  const auto placed = [&](ir::Value v, i64 at) {
    widths[2 * axis] = at;
    widths[2 * axis + 1] = wide.extent[axis] - at - v.dims().extent[axis];
    return ir::pad(v, widths, 0);
  };
  const auto piece = [&](i64 begin, i64 step, i64 count) {
    ir::Slices axes;
    axes[axis] = {begin, step};
    Dims part = d;
    part.extent[axis] = mode == PaddingMode::replicate ? 1 : count;
    const ir::Value v = ir::slice(x, axes, part);
    part.extent[axis] = count;
    return ir::broadcast(v, part);
  };
  const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, wide, static_cast<u64>(axis))};
  const auto before = [&](i64 at) {
    return ir::binary(ir::Op::lt, place, ir::constant_like(place, static_cast<double>(at)));
  };
  ir::Value r = placed(x, low);
  if (low > 0) {
    const i64 first = mode == PaddingMode::reflect ? low : mode == PaddingMode::circular ? extent - low : 0;
    const ir::Value edge = placed(piece(first, mode == PaddingMode::reflect ? -1 : 1, low), 0);
    r = ir::select(before(low), edge, r);
  }
  if (high > 0) {
    const i64 first = mode == PaddingMode::reflect    ? extent - 2
                      : mode == PaddingMode::circular ? 0
                                                      : extent - 1;
    const ir::Value edge = placed(piece(first, mode == PaddingMode::reflect ? -1 : 1, high), low + extent);
    r = ir::select(before(low + extent), r, edge);
  }
  return r;
}

// Widths as those of pad_rule; negative ones crop, before the frame is made.
template <PaddingMode Mode, class S, i64... Widths>
struct frame_rule : pad_rule<S, Widths...> {
  using Base = pad_rule<S, Widths...>;
  struct Part {
    i64 low = 0, high = 0, cropped = 0;
  };
  static constexpr Part part(int axis) {
    const i64 low = Base::list.width[2 * axis], high = Base::list.width[2 * axis + 1];
    return {low > 0 ? low : 0, high > 0 ? high : 0,
            S::value.extent[axis] + (low < 0 ? low : 0) + (high < 0 ? high : 0)};
  }
  static constexpr bool check() {
    for (int a = 0; Base::ok && a < S::rank; ++a) {
      const Part p = part(a);
      if (p.cropped < 0 || !frame_fits(Mode, p.low, p.high, p.cropped)) return false;
    }
    return true;
  }
  static constexpr bool fits = check();
};

}  // namespace detail

template <PaddingMode Mode, i64... Widths>
struct FrameOp : Operation<FrameOp<Mode, Widths...>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::frame_rule<Mode, typename X::shape, Widths...>;
    static_assert(sizeof(WidthsFit<Rule::ok, FrameOp, typename X::shape>) > 0);
    static_assert(sizeof(FrameFits<Rule::fits, FrameOp, typename X::shape>) > 0);
    using T = typename X::dtype;
    using S = shape_of<Rule>;
    if constexpr (!Rule::ok || !Rule::fits) {
      return detail::refused<T, S>(x);
    } else if constexpr (Mode == PaddingMode::zeros) {
      return Expr<T, S>{ir::pad(x.value, Rule::list.width, 0)};
    } else {
      i64 crop[2 * max_rank]{};
      for (int k = 0; k < 2 * X::rank; ++k) crop[k] = Rule::list.width[k] < 0 ? Rule::list.width[k] : 0;
      ir::Value v = ir::pad(x.value, crop, 0);
      for (int a = X::rank - 1; a >= 0; --a) {
        const auto part = Rule::part(a);
        if (part.low + part.high > 0) v = detail::framed(v, a, part.low, part.high, Mode);
      }
      return Expr<T, S>{v};
    }
  }
};

// pad<PaddingMode::circular, 1, 2>(x): one element before and two after the last axis; more pairs for the
// axes before it.
template <PaddingMode Mode, i64... Widths, class X>
constexpr auto pad(const X& x) {
  return FrameOp<Mode, Widths...>{}(x);
}

}  // namespace WEFT_NAMESPACE
