#pragma once
// Channels and places exchanged: torch.nn.functional.pixel_shuffle, pixel_unshuffle, channel_shuffle. Views.

#include "weft/ops/shape/movement.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(PixelsFit,
             "pixel_shuffle<r> takes (..., C, H, W) where r * r divides C, pixel_unshuffle<r> where r "
             "divides H and W, and r is at least 1");
WEFT_REFUSAL(ChannelGroupsFit,
             "channel_shuffle<groups> takes (N, C, ...) of at least three axes, and groups divide C");

namespace detail {

template <class S, i64 R, bool Back>
struct pixel_rule {
  static constexpr int c = S::rank - 3;
  static constexpr bool ranked = S::rank >= 3 && R >= 1;
  static constexpr i64 extent(int k) { return S::value.extent[c + k]; }
  static constexpr bool check() {
    if (!ranked) return false;
    if (Back) return extent(1) % R == 0 && extent(2) % R == 0;
    return extent(0) % (R * R) == 0;
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims r = S::value;
    for (int k = 0; ok && k < 3; ++k) {
      i64& e = r.extent[c + k];
      const i64 by = k == 0 ? R * R : R;
      e = (k == 0) == Back ? e * by : e / by;
    }
    return r;
  }
  static constexpr Dims value = make();
  // (all in front, C, r, r, H, W), or (all in front, C, H, r, W, r), C, H, W being the lesser extents
  static constexpr Dims apart() {
    const Dims& d = Back ? S::value : value;
    const i64 h = d.extent[c + 1] / R, w = d.extent[c + 2] / R, channels = d.extent[c];
    i64 front = 1;
    for (int k = 0; k < c; ++k) front *= d.extent[k];
    const i64 extents[]{front, channels, Back ? h : R, R, Back ? w : h, Back ? R : w};
    return ir::make_dims(6, extents);
  }
};

}  // namespace detail

template <i64 R, bool Back>
struct PixelShuffleOp : Operation<PixelShuffleOp<R, Back>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::pixel_rule<typename X::shape, R, Back>;
    static_assert(sizeof(PixelsFit<Rule::ok, PixelShuffleOp, typename X::shape>) > 0);
    using T = typename X::dtype;
    if constexpr (Rule::ok) {
      const i64 together[]{0, 1, 4, 2, 5, 3}, away[]{0, 1, 3, 5, 2, 4};
      return Expr<T, shape_of<Rule>>{
          ir::reshape(ir::permute(ir::reshape(x.value, Rule::apart()), Back ? away : together), Rule::value)};
    } else {
      return x;
    }
  }
};

template <i64 Groups>
struct ChannelShuffleOp : Operation<ChannelShuffleOp<Groups>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    constexpr Dims d = X::shape::value;
    constexpr bool ok = d.rank >= 3 && Groups >= 1 && d.extent[1] % (Groups < 1 ? 1 : Groups) == 0;
    static_assert(sizeof(ChannelGroupsFit<ok, ChannelShuffleOp, typename X::shape>) > 0);
    if constexpr (ok) {
      i64 places = 1;
      for (int k = 2; k < d.rank; ++k) places *= d.extent[k];
      const i64 apart[]{d.extent[0], Groups, d.extent[1] / Groups, places}, order[]{0, 2, 1, 3};
      return X{ir::reshape(ir::permute(ir::reshape(x.value, ir::make_dims(4, apart)), order), d)};
    } else {
      return x;
    }
  }
};

// (..., C r r, H, W) -> (..., C, H r, W r), and back.
template <i64 R, class X>
constexpr auto pixel_shuffle(const X& x) {
  return PixelShuffleOp<R, false>{}(x);
}
template <i64 R, class X>
constexpr auto pixel_unshuffle(const X& x) {
  return PixelShuffleOp<R, true>{}(x);
}
// The channels of (N, C, ...) as (groups, C / groups), transposed.
template <i64 Groups, class X>
constexpr auto channel_shuffle(const X& x) {
  return ChannelShuffleOp<Groups>{}(x);
}

}  // namespace WEFT_NAMESPACE
