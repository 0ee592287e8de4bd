#pragma once
// Windows of images as columns, and back: torch.nn.functional.unfold (im2col) and fold (col2im). Windows that
// touch without overlapping are views; otherwise each axis is one gather, or one sum by index.

#include "weft/ops/index/gather.hpp"
#include "weft/ops/nn/window_options.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"

namespace WEFT_NAMESPACE {

// Of unfold and fold, in PyTorch's order.
struct UnfoldOptions {
  PerAxis dilation = 1;  // distance of a window's elements
  PerAxis padding = 0;   // zeros on each side of each axis
  PerAxis stride = 1;    // distance of neighbouring windows
};

WEFT_REFUSAL(UnfoldFits,
             "unfold takes (N, C, H, W) or (C, H, W) and a window that fits: one number or one for each "
             "axis, at least 1");
WEFT_REFUSAL(FoldFits,
             "fold takes (N, C times the window's size, L) or the same without N, where L is the number "
             "of windows that lie in the padded output");

namespace detail {

// Windows of one axis: element t of window p is at p stride + t dilation of the padded axis.
struct WindowAxis {
  i64 extent = 1, window = 1, dilation = 1, padding = 0, stride = 1, count = 0;
  constexpr i64 padded() const { return extent + 2 * padding; }
  constexpr bool apart() const { return stride == window && dilation == 1; }
};
constexpr WindowAxis window_axis(i64 extent, i64 window, const UnfoldOptions& o, int k) {
  WindowAxis a{extent, window, o.dilation[k], o.padding[k], o.stride[k], 0};
  const i64 room = a.padded() - a.dilation * (window - 1) - 1;
  if (room >= 0 && window >= 1 && a.stride >= 1) a.count = room / a.stride + 1;
  return a;
}
template <PerAxis Window, UnfoldOptions Options>
inline constexpr bool unfold_options_ok =
    Window.names(2) && Options.dilation.names(2) && Options.padding.names(2) && Options.stride.names(2) &&
    Window.at_least(1, 2) && Options.dilation.at_least(1, 2) && Options.padding.at_least(0, 2) &&
    Options.stride.at_least(1, 2);

// The places of all windows' elements in the padded axis, (window, count) as a vector.
constexpr ir::Value window_places(ir::Builder& b, const WindowAxis& a) {
  const i64 extents[]{a.window, a.count}, flat[]{a.window * a.count};
  const Dims d = ir::make_dims(2, extents);
  const ir::Value t{&b, b.leaf(ir::Op::iota, DType::i32, d, 0)};
  const ir::Value p{&b, b.leaf(ir::Op::iota, DType::i32, d, 1)};
  return ir::reshape(t * static_cast<double>(a.dilation) + p * static_cast<double>(a.stride),
                     ir::make_dims(1, flat));
}

// x's axis as two: (window, count).
constexpr ir::Value windows_of(ir::Value x, int axis, const WindowAxis& a) {
  i64 widths[2 * max_rank]{};
  widths[2 * axis] = widths[2 * axis + 1] = a.padding;
  x = ir::pad(x, widths, 0);
  Dims apart;
  const Dims d = x.dims();
  i64 order[8]{};
  const bool views = a.apart();
  for (int k = 0, n = 0; k < d.rank; ++k) {
    order[n] = n;
    if (k != axis) {
      apart.extent[apart.rank++] = d.extent[k], ++n;
      continue;
    }
    apart.extent[apart.rank++] = views ? a.count : a.window;
    apart.extent[apart.rank++] = views ? a.window : a.count;
    order[n] = views ? n + 1 : n, order[n + 1] = views ? n : n + 1, n += 2;
  }
  if (!views)
    return ir::reshape(ir::take_along_axis(x, along(window_places(*x.builder, a), d, axis), axis), apart);
  ir::Slices whole;
  x = ir::slice(x, whole, ir::with_extent(d, axis, a.count * a.window));
  return ir::permute(ir::reshape(x, apart), order);
}

// The reverse: axes `axis` and the next one, (window, count), as one; what falls on one place is added up.
constexpr ir::Value windows_back(ir::Value x, int axis, const WindowAxis& a) {
  const Dims d = x.dims();
  Dims joined;
  i64 order[8]{}, widths[2 * max_rank]{};
  for (int k = 0; k < d.rank; ++k) {
    order[k] = k;
    if (k == axis + 1)
      joined.extent[axis] *= d.extent[k];
    else
      joined.extent[joined.rank++] = d.extent[k];
  }
  if (a.apart()) {
    order[axis] = axis + 1, order[axis + 1] = axis;
    x = ir::reshape(ir::permute(x, order), joined);
    widths[2 * axis] = -a.padding;
    widths[2 * axis + 1] = a.extent + a.padding - a.count * a.window;
    return ir::pad(x, widths, 0);
  }
  const ir::Value index = along(window_places(*x.builder, a), joined, axis);
  const ir::Value sums = ir::scatter_reduce(index, ir::reshape(x, joined), axis, a.padded(), ir::Fold::sum);
  widths[2 * axis] = widths[2 * axis + 1] = -a.padding;
  return ir::pad(sums, widths, 0);
}

template <PerAxis Window, UnfoldOptions Options, class S>
struct columns_rule {
  static constexpr bool ranked = S::rank == 3 || S::rank == 4;
  static constexpr WindowAxis axis(int k) {
    return window_axis(ranked ? S::value.extent[S::rank - 2 + k] : 0, Window[k], Options, k);
  }
  static constexpr bool options = ranked && unfold_options_ok<Window, Options>;
  static constexpr bool ok = options && axis(0).count >= 1 && axis(1).count >= 1;
  static constexpr i64 channels = ranked ? S::value.extent[S::rank - 3] : 0;
  static constexpr Dims make() {
    if (!ok) return S::value;
    Dims r;
    if (S::rank == 4) r.extent[r.rank++] = S::value.extent[0];
    r.extent[r.rank++] = channels * Window[0] * Window[1];
    r.extent[r.rank++] = axis(0).count * axis(1).count;
    return r;
  }
  static constexpr Dims value = make();
};

template <PerAxis Output, PerAxis Window, UnfoldOptions Options, class S>
struct fold_rule {
  static constexpr bool ranked = S::rank == 2 || S::rank == 3;
  static constexpr WindowAxis axis(int k) { return window_axis(Output[k], Window[k], Options, k); }
  static constexpr bool check() {
    if (!ranked || !unfold_options_ok<Window, Options> || !Output.names(2) || !Output.at_least(1, 2))
      return false;
    return S::value.extent[S::rank - 2] % (Window[0] * Window[1]) == 0 &&
           S::value.extent[S::rank - 1] == axis(0).count * axis(1).count;
  }
  static constexpr bool ok = check();
  static constexpr i64 batch = S::rank == 3 ? S::value.extent[0] : 1;
  static constexpr i64 channels =
      ok ? S::value.extent[S::rank >= 2 ? S::rank - 2 : 0] / (Window[0] * Window[1]) : 1;
  static constexpr Dims make() {
    if (!ok) return S::value;
    Dims r;
    if (S::rank == 3) r.extent[r.rank++] = batch;
    r.extent[r.rank++] = channels;
    for (int k = 0; k < 2; ++k) r.extent[r.rank++] = Output[k];
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

template <PerAxis Window, UnfoldOptions Options>
struct UnfoldImageOp : Operation<UnfoldImageOp<Window, Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::columns_rule<Window, Options, typename X::shape>;
    static_assert(sizeof(UnfoldFits<Rule::ok, UnfoldImageOp, typename X::shape>) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (Rule::ok) {
      const Dims d = X::shape::value;
      const i64 planes[]{(d.rank == 4 ? d.extent[0] : 1) * Rule::channels, d.extent[d.rank - 2],
                         d.extent[d.rank - 1]};
      ir::Value v = ir::reshape(x.value, ir::make_dims(3, planes));
      v = detail::windows_of(v, 2, Rule::axis(1));  // (planes, H, kw, columns)
      v = detail::windows_of(v, 1, Rule::axis(0));  // (planes, kh, rows, kw, columns)
      const i64 order[]{0, 1, 3, 2, 4};
      return R{ir::reshape(ir::permute(v, order), Rule::value)};
    } else {
      return detail::refused<typename R::dtype, typename R::shape>(x);
    }
  }
};

template <PerAxis Output, PerAxis Window, UnfoldOptions Options>
struct FoldImageOp : Operation<FoldImageOp<Output, Window, Options>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::fold_rule<Output, Window, Options, typename X::shape>;
    static_assert(sizeof(FoldFits<Rule::ok, FoldImageOp, typename X::shape>) > 0);
    using T = typename X::dtype;
    if constexpr (Rule::ok) {
      const auto rows = Rule::axis(0), columns = Rule::axis(1);
      const i64 apart[]{Rule::batch * Rule::channels, rows.window, columns.window, rows.count, columns.count};
      const i64 order[]{0, 1, 3, 2, 4};
      const DType wide = ir::reduction_dtype(dtype_of<T>);
      ir::Value v = ir::permute(ir::reshape(ir::cast(x.value, wide), ir::make_dims(5, apart)), order);
      v = detail::windows_back(v, 3, columns);
      v = detail::windows_back(v, 1, rows);
      return Expr<T, shape_of<Rule>>{ir::reshape(ir::cast(v, dtype_of<T>), Rule::value)};
    } else {
      return x;
    }
  }
};

// unfold<PerAxis{2, 3}, UnfoldOptions{.padding = 1}>(x): x (N, C, H, W) -> (N, C times the window's size,
// windows), without N where x has none. (unfold<axis, length, step>(x) is torch.Tensor.unfold.)
template <PerAxis Window, UnfoldOptions Options = UnfoldOptions{}, class X>
constexpr auto unfold(const X& x) {
  return UnfoldImageOp<Window, Options>{}(x);
}
// fold<PerAxis{4, 5}, 2>(x): the images of that extent whose windows are x's columns, added up where windows
// overlap.
template <PerAxis Output, PerAxis Window, UnfoldOptions Options = UnfoldOptions{}, class X>
constexpr auto fold(const X& x) {
  return FoldImageOp<Output, Window, Options>{}(x);
}

}  // namespace WEFT_NAMESPACE
