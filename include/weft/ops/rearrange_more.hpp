#pragma once
// More of torch's rearrangements: moved, split and joined axes, windows, repeated elements. Views where
// memory allows one.

#include "weft/ops/gather.hpp"
#include "weft/ops/rearrange.hpp"

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

WEFT_REFUSAL(SplitIsWhole, "split_with_sizes: the sizes must sum to the extent of the axis");
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
        ir::Slice axes[8];
        v = ir::slice(x.value, axes, ir::with_extent(X::shape::value, axis, flat));
      } else {
        const Dims windows = Shape<Rule::count, Length>::value;
        const ir::Value row{&b, b.leaf(ir::Op::iota, DType::i32, windows, 0)};
        const ir::Value column{&b, b.leaf(ir::Op::iota, DType::i32, windows, 1)};
        const ir::Value place = row * static_cast<double>(Step) + column;
        v = ir::take(x.value, detail::along(place, X::shape::value, axis), axis);
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

namespace detail {
template <int Axis, i64 IndexOp, int Rank>
struct AtLeast : Operation<AtLeast<Axis, IndexOp, Rank>> {
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
// unbind<axis>(x): a tuple of its places.
template <int Axis = 0, class X>
constexpr auto unbind(const X& x) {
  constexpr i64 count = detail::extent_along<decltype(detail::shape_in_type<X>()), Axis>();
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::tuple{SelectIndexOp<Axis, static_cast<i64>(K)>{}(x)...};
  }
  (std::make_index_sequence<static_cast<std::size_t>(count)>{});
}
// tensor_split<n, axis>(x): n pieces, the first ones longer by one where they do not come out even.
template <i64 Count, int Axis = 0, class X>
constexpr auto tensor_split(const X& x) {
  static_assert(Count > 0, "tensor_split: there is at least one piece");
  constexpr i64 extent = detail::extent_along<decltype(detail::shape_in_type<X>()), Axis>();
  constexpr std::size_t pieces = static_cast<std::size_t>(Count);
  return detail::cut<Axis>(x, detail::even_bounds<extent, Count>(std::make_index_sequence<pieces + 1>{}),
                           std::make_index_sequence<pieces>{});
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
