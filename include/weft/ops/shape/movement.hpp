#pragma once
// Movement primitives: views that the reading kernel folds into its addresses.

#include "weft/ops/math/pointwise.hpp"

namespace WEFT_NAMESPACE {

// Axes as one template argument: movedim<AxisList{0, 1}, AxisList{2, 3}>(x). A number is a list of one.
struct AxisList {
  int axis[8]{};  // the axes in order
  int count = 0;  // how many

  template <class... I>
  requires(sizeof...(I) >= 1 && sizeof...(I) <= 8 &&
           (std::is_integral_v<I> && ...)) constexpr AxisList(I... i)
      : axis{static_cast<int>(i)...}, count(sizeof...(I)) {}
  // member by member: nvcc hands constants to the host compiler in this spelling
  constexpr AxisList(const int (&all)[8], int n) : count(n) {
    for (int k = 0; k < 8; ++k) axis[k] = all[k];
  }
  // Every axis exists and is named once.
  constexpr bool names(int rank) const {
    u32 seen = 0;
    for (int k = 0; k < count; ++k) {
      if (!axis_in_range(axis[k], rank) || (seen >> at(k, rank) & 1u)) return false;
      seen |= 1u << at(k, rank);
    }
    return true;
  }
  // The K-th one, counted from the first axis.
  constexpr int at(int k, int rank) const { return normalize_axis(axis[k], rank); }
  constexpr bool operator==(const AxisList&) const = default;
};

namespace detail {

template <class S, i64... To>
struct reshape_rule {
  static constexpr i64 count(i64 skip) {
    i64 n = 1;
    const i64 to[]{To..., 1};
    for (int i = 0; i < static_cast<int>(sizeof...(To)); ++i) n *= to[i] == skip ? 1 : to[i];
    return n;
  }
  static constexpr int free = ((To == -1 ? 1 : 0) + ... + 0);
  static constexpr i64 known = count(-1);
  static constexpr bool ok = free == 0 ? known == S::size : free == 1 && known > 0 && S::size % known == 0;
  static constexpr Dims make() {
    Dims d;
    d.rank = sizeof...(To);
    const i64 to[]{To..., 1};
    for (int i = 0; i < d.rank; ++i) d.extent[i] = to[i] == -1 ? S::size / (known > 0 ? known : 1) : to[i];
    return d;
  }
  static constexpr Dims value = make();
};

template <class S, int... Order>
struct permute_rule {
  static constexpr bool check() {
    if (sizeof...(Order) != S::rank) return false;
    const int order[]{Order..., 0};
    u32 seen = 0;
    for (int i = 0; i < S::rank; ++i) {
      const int axis = order[i] < 0 ? order[i] + S::rank : order[i];
      if (axis < 0 || axis >= S::rank) return false;
      seen |= 1u << axis;
    }
    return seen == ir::all_axes(S::rank);
  }
  static constexpr bool ok = check();
  struct List {
    i64 axis[8]{};
  };
  static constexpr List make_list() {
    List made;
    const int order[]{Order..., 0};
    for (int i = 0; ok && i < S::rank; ++i) made.axis[i] = order[i] < 0 ? order[i] + S::rank : order[i];
    return made;
  }
  static constexpr List list = make_list();
  static constexpr Dims value = ok ? ir::permuted(S::value, list.axis) : S::value;
};

template <class From, class To>
struct expand_rule {
  static constexpr bool ok =
      broadcastable(From::value, To::value) && broadcast(From::value, To::value) == To::value;
};

// To, where -1 stands for the extent that the axis has in S; of no axis there is, as of less than -1, it
// stays.
template <class S, i64... To>
struct kept_extents {
  static constexpr bool ok = [] {
    bool known = true;
    int axis = S::rank - static_cast<int>(sizeof...(To));
    ((known = known && (To >= 0 || (To == -1 && axis >= 0)), ++axis), ...);
    return known;
  }();
  template <i64 Extent>
  static constexpr i64 extent(int axis) {
    axis += S::rank - static_cast<int>(sizeof...(To));
    return Extent >= 0 ? Extent : axis >= 0 ? S::value.extent[axis] : 1;
  }
  using type = decltype([]<int... Axis>(std::integer_sequence<int, Axis...>) {
    return Shape<extent<To>(Axis)...>{};
  }(std::make_integer_sequence<int, static_cast<int>(sizeof...(To))>{}));
};

}  // namespace detail

// What: a Shape, and the extents that it was to be expanded to.
WEFT_REFUSAL(
    ExpandKeepsExtents,
    "expand: -1 keeps the extent of an axis that the value has, expand<2, -1, -1>(x) of (4, 6); a new "
    "leading axis has none to keep, and no other extent is negative");

// What: a Shape whose axes a permutation should name, each once.
WEFT_REFUSAL(AxesPermuted,
             "the axes named are no permutation of the shape's axes: name each once, permute<0, 2, 1>(x) of "
             "three; transpose<-2, -1>(x) exchanges two");

WEFT_REFUSAL(
    OneExtentIsLeft,
    "only one extent of a reshape may be -1, which is worked out from the others: reshape<2, -1>(x)");

// reshape<2, -1>(x): the same elements in row-major order; one -1 is worked out.
template <i64... To>
struct ReshapeOp : Operation<ReshapeOp<To...>> {
  template <class A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    using Rule = detail::reshape_rule<typename A::shape, To...>;
    constexpr bool known = ((To < 0 ? 1 : 0) + ... + 0) <= 1;
    static_assert(sizeof(OneExtentIsLeft<known, ReshapeOp, typename A::shape>) > 0);
    static_assert(sizeof(SizesEqual < Rule::ok || !known, ReshapeOp, typename A::shape >) > 0);
    using S = shape_of<Rule>;
    return Expr<typename A::dtype, S>{ir::reshape(a.value, S::value)};
  }
};

// permute<0, 2, 1>(x): output axis k is input axis Order[k].
template <int... Order>
struct PermuteOp : Operation<PermuteOp<Order...>> {
  template <class A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    using Rule = detail::permute_rule<typename A::shape, Order...>;
    static_assert(sizeof(AxesPermuted<Rule::ok, PermuteOp, typename A::shape>) > 0);
    return Expr<typename A::dtype, shape_of<Rule>>{ir::permute(a.value, Rule::list.axis)};
  }
};

// expand<Shape...>(x): broadcast to a given shape, in which -1 keeps the extent that x has.
template <i64... To>
struct ExpandOp : Operation<ExpandOp<To...>> {
  template <class A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    using Kept = detail::kept_extents<typename A::shape, To...>;
    static_assert(sizeof(ExpandKeepsExtents<Kept::ok, ExpandOp, typename A::shape>) > 0);
    using R = typename Kept::type;
    constexpr bool ok = detail::expand_rule<typename A::shape, R>::ok;
    static_assert(sizeof(ShapesBroadcast < ok || !Kept::ok, ExpandOp, typename A::shape, R >) > 0);
    return Expr<typename A::dtype, R>{ir::broadcast(a.value, R::value)};
  }
};

template <i64... To, class X>
constexpr auto reshape(const X& x) {
  return ReshapeOp<To...>{}(x);
}
template <i64... To, class X>
constexpr auto view(const X& x) {
  return ReshapeOp<To...>{}(x);
}
template <int... Order, class X>
constexpr auto permute(const X& x) {
  return PermuteOp<Order...>{}(x);
}
template <i64... To, class X>
constexpr auto expand(const X& x) {
  return ExpandOp<To...>{}(x);
}

}  // namespace WEFT_NAMESPACE
