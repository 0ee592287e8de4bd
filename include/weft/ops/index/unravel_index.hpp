#pragma once
// Places in a flattened tensor as indices into its axes: torch.unravel_index.

#include "weft/ops/index/gather.hpp"

namespace WEFT_NAMESPACE {

// What the message names, once for all axes.
struct UnravelIndex {};

// The index into axis Axis of a tensor of shape D...; a negative place counts from the end.
template <int Axis, i64... D>
struct UnravelOp : Operation<UnravelOp<Axis, D...>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    constexpr bool integer = is_integer(dtype_of<typename X::dtype>);
    static_assert(sizeof(IndexIsInteger<integer, UnravelIndex, typename X::dtype>) > 0);
    using R = Expr<i64, typename X::shape>;
    constexpr i64 extent[]{D..., 1};
    i64 behind = 1;
    for (int k = Axis + 1; k < static_cast<int>(sizeof...(D)); ++k) behind *= extent[k];
    if constexpr (integer) {
      ir::Value v = ir::cast(x.value, DType::i64);
      const ir::Value zero = ir::constant_like(v, 0);
      v = ir::select(ir::binary(ir::Op::lt, v, zero), v + static_cast<double>(Shape<D...>::size), v);
      if (behind > 1) v = v / static_cast<double>(behind);
      if (Axis > 0) v = ir::binary(ir::Op::fmod, v, ir::constant_like(v, static_cast<double>(extent[Axis])));
      return R{v};
    } else {
      return detail::refused<i64, typename X::shape>(x);
    }
  }
};

// unravel_index<2, 3>(x): a tuple, the index into each axis of a tensor (2, 3) for every place in x, i64.
template <i64... D, class X>
constexpr auto unravel_index(const X& x) {
  return [&]<int... K>(std::integer_sequence<int, K...>) { return std::tuple{UnravelOp<K, D...>{}(x)...}; }
  (std::make_integer_sequence<int, sizeof...(D)>{});
}

}  // namespace WEFT_NAMESPACE
