#pragma once
// Tensors laid beside one another whatever their rank: torch.hstack, vstack, dstack, column_stack, and the
// axes of one that these want: atleast_1d and its like.

#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/split.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <int Axis, i64 Place, int Rank>
struct AtLeast : Operation<AtLeast<Axis, Place, Rank>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    if constexpr (X::rank >= Rank)
      return x;
    else if constexpr (X::rank == 0)
      return apply(b, UnsqueezeOp<0>::apply(b, x));
    else if constexpr (X::rank == 1)
      return apply(b, UnsqueezeOp<0>::apply(b, x));
    else
      return UnsqueezeOp<-1>::apply(b, x);
  }
};
template <int Rank, class X>
constexpr auto at_least(const X& x) {
  return AtLeast<0, 0, Rank>{}(x);
}
template <class... X>
constexpr auto stacked_columns(const X&... x) {
  const auto column = []<class V>(const V& v) {
    constexpr int rank = decltype(shape_in_type<V>())::rank;
    if constexpr (rank == 0)
      return unsqueeze<0>(unsqueeze<0>(v));
    else if constexpr (rank == 1)
      return unsqueeze<1>(v);
    else
      return v;
  };
  return cat<1>(column(x)...);
}

}  // namespace detail

template <class X>
constexpr auto atleast_1d(const X& x) {
  return detail::at_least<1>(x);
}
template <class X>
constexpr auto atleast_2d(const X& x) {
  return detail::at_least<2>(x);
}
template <class X>
constexpr auto atleast_3d(const X& x) {
  return detail::at_least<3>(x);
}
// hstack: along the second axis (the first, of vectors); vstack: rows; dstack: along a third axis.
template <class First, class... X>
constexpr auto hstack(const First& first, const X&... x) {
  return cat<(decltype(detail::shape_in_type<First>())::rank > 1 ? 1 : 0)>(atleast_1d(first),
                                                                           atleast_1d(x)...);
}
template <class... X>
constexpr auto vstack(const X&... x) {
  return cat<0>(atleast_2d(x)...);
}
template <class... X>
constexpr auto dstack(const X&... x) {
  return cat<2>(atleast_3d(x)...);
}
template <class... X>
constexpr auto column_stack(const X&... x) {
  return detail::stacked_columns(x...);
}

}  // namespace WEFT_NAMESPACE
