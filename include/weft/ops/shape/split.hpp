#pragma once
// A tensor cut along an axis into several: torch.unbind, tensor_split, split_with_sizes, hsplit and its like,
// all views. (split and chunk are in slicing.hpp.)

#include "weft/ops/shape/rearrange.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(SplitIsWhole, "split_with_sizes: the sizes must sum to the extent of the axis");

namespace detail {

// Pieces between given places of an axis.
template <int Axis, class X, i64... Bound, std::size_t... K>
constexpr auto cut(const X& x, std::integer_sequence<i64, Bound...>, std::index_sequence<K...>) {
  constexpr i64 bound[]{Bound..., 0};
  return std::tuple{SliceAxisOp<Axis, bound[K], bound[K + 1], 1>{}(x)...};
}
template <i64 Extent, i64 Count, std::size_t... K>
constexpr auto even_bounds(std::index_sequence<K...>) {
  return std::integer_sequence<i64, static_cast<i64>(K) * (Extent / Count) +
                                        (static_cast<i64>(K) < Extent % Count ? static_cast<i64>(K)
                                                                              : Extent % Count)...>{};
}
template <int Axis, i64... Size, class X, std::size_t... K>
constexpr auto cut_by_sizes(const X& x, std::index_sequence<K...>) {
  struct Bounds {
    i64 at[sizeof...(Size) + 1]{};
  };
  constexpr Bounds bounds = [] {
    Bounds b;
    int n = 0;
    ((b.at[n + 1] = b.at[n] + Size, ++n), ...);
    return b;
  }();
  return std::tuple{SliceAxisOp<Axis, bounds.at[K], bounds.at[K + 1], 1>{}(x)...};
}
template <class S, int Axis>
constexpr i64 extent_along() {
  return axis_in_range(Axis, S::rank) ? S::value[Axis] : 1;
}

}  // namespace detail

// unbind<axis>(x): a tuple of its places.
template <int Axis = 0, class X>
constexpr auto unbind(const X& x) {
  using S = decltype(detail::shape_in_type<X>());
  constexpr bool ok = axis_in_range(Axis, S::rank);
  static_assert(sizeof(AxisInRange<ok, SelectIndexOp<Axis, 0>, S>) > 0);
  if constexpr (ok) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple{SelectIndexOp<Axis, static_cast<i64>(K)>{}(x)...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(S::value[Axis])>{});
  } else {
    return AfterRefusal{};
  }
}
// tensor_split<n, axis>(x): n pieces, the first ones longer by one where they do not come out even.
template <i64 Count, int Axis = 0, class X>
constexpr auto tensor_split(const X& x) {
  using S = decltype(detail::shape_in_type<X>());
  static_assert(sizeof(PiecesAreThere<(Count > 0), GivenSize<Count>, S>) > 0);
  if constexpr (Count > 0) {
    constexpr i64 extent = detail::extent_along<S, Axis>();
    constexpr std::size_t pieces = static_cast<std::size_t>(Count);
    return detail::cut<Axis>(x, detail::even_bounds<extent, Count>(std::make_index_sequence<pieces + 1>{}),
                             std::make_index_sequence<pieces>{});
  } else {
    return AfterRefusal{};
  }
}
// split_at<axis, 2, 5>(x): pieces [0, 2), [2, 5), [5, end): torch.tensor_split with places.
template <int Axis, i64... At, class X>
constexpr auto split_at(const X& x) {
  return detail::cut<Axis>(x, std::integer_sequence<i64, 0, At..., to_end>{},
                           std::make_index_sequence<sizeof...(At) + 1>{});
}
// split_with_sizes<axis, 2, 3>(x): pieces of those extents, which make up the axis.
template <int Axis, i64... Size, class X>
constexpr auto split_with_sizes(const X& x) {
  using S = decltype(detail::shape_in_type<X>());
  constexpr bool whole = (Size + ... + 0) == detail::extent_along<S, Axis>() && ((Size >= 0) && ...);
  static_assert(sizeof(SplitIsWhole<whole, S, GivenAxis<Axis>, GivenSize<Size>...>) > 0);
  return detail::cut_by_sizes<Axis, Size...>(x, std::make_index_sequence<sizeof...(Size)>{});
}
template <i64 Count, class X>
constexpr auto hsplit(const X& x) {
  return tensor_split<Count, (decltype(detail::shape_in_type<X>())::rank > 1 ? 1 : 0)>(x);
}
template <i64 Count, class X>
constexpr auto vsplit(const X& x) {
  return tensor_split<Count, 0>(x);
}
template <i64 Count, class X>
constexpr auto dsplit(const X& x) {
  return tensor_split<Count, 2>(x);
}

}  // namespace WEFT_NAMESPACE
