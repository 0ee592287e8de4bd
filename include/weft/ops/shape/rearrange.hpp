#pragma once
// Shapes and orders rearranged: transpose, flatten, squeeze, repeat, flip, roll and their like, with
// PyTorch's names; axes and extents are template arguments. All but repeat and roll are views.

#include "weft/ops/shape/concat.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <class S, int A, int B>
struct transpose_rule {
  static constexpr bool ok = axis_in_range(A, S::rank) && axis_in_range(B, S::rank);
  struct List {
    i64 axis[8]{};
  };
  static constexpr List make_list() {
    List made;
    for (int i = 0; i < 8; ++i) made.axis[i] = i;
    if (ok) {
      made.axis[normalize_axis(A, S::rank)] = normalize_axis(B, S::rank);
      made.axis[normalize_axis(B, S::rank)] = normalize_axis(A, S::rank);
    }
    return made;
  }
  static constexpr List list = make_list();
  static constexpr Dims make() { return ir::permuted(S::value, list.axis); }
  static constexpr Dims value = make();
};

template <class S, int From, int To>
struct flatten_rule {
  static constexpr int from = S::rank == 0 ? 0 : normalize_axis(From, S::rank);
  static constexpr int to = S::rank == 0 ? 0 : normalize_axis(To, S::rank);
  static constexpr bool ok =
      S::rank == 0 || (axis_in_range(From, S::rank) && axis_in_range(To, S::rank) && from <= to);
  static constexpr Dims make() {
    Dims r;
    if (!ok) return S::value;
    if (S::rank == 0) {
      r.extent[r.rank++] = 1;
      return r;
    }
    for (int i = 0; i < S::rank; ++i) {
      if (i > from && i <= to)
        r.extent[r.rank - 1] *= S::value.extent[i];
      else
        r.extent[r.rank++] = S::value.extent[i];
    }
    return r;
  }
  static constexpr Dims value = make();
};

// Named axes go if their extent is 1, as in PyTorch; without names all of them.
template <class S, int... Axes>
struct squeeze_rule {
  static constexpr bool ok = (axis_in_range(Axes, S::rank) && ... && true);
  static constexpr Dims make() {
    Dims r;
    for (int i = 0; i < S::rank; ++i) {
      const bool named =
          sizeof...(Axes) == 0 ||
          ((axis_in_range(Axes, S::rank) && normalize_axis(Axes, S::rank) == i) || ... || false);
      if (!named || S::value.extent[i] != 1) r.extent[r.rank++] = S::value.extent[i];
    }
    return r;
  }
  static constexpr Dims value = make();
};

template <class S, i64... Times>
struct repeat_rule {
  static constexpr int count = sizeof...(Times);
  static constexpr bool ok = count >= S::rank && count <= max_rank && ((Times >= 0) && ... && true);
  static constexpr i64 times(int axis) {
    const i64 list[]{Times..., 1};
    return list[axis];
  }
  // x's extents with ones in front
  static constexpr Dims make_base() {
    Dims r;
    r.rank = ok ? count : S::rank;
    for (int i = 0; i < r.rank; ++i)
      r.extent[i] = i < r.rank - S::rank ? 1 : S::value.extent[i - (r.rank - S::rank)];
    return r;
  }
  static constexpr Dims base = make_base();
  static constexpr Dims make() {
    Dims r = base;
    for (int i = 0; ok && i < r.rank; ++i) r.extent[i] *= times(i);
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

WEFT_REFUSAL(RepeatsFit, "repeat takes one count for every axis of the tensor, or more");

template <int A, int B>
struct TransposeOp : Operation<TransposeOp<A, B>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::transpose_rule<typename X::shape, A, B>;
    static_assert(sizeof(AxisInRange<Rule::ok, TransposeOp, typename X::shape>) > 0);
    return Expr<typename X::dtype, shape_of<Rule>>{ir::permute(x.value, Rule::list.axis)};
  }
};

// t(x): a matrix transposed; vectors and scalars stay.
struct TransposeMatrixOp : Operation<TransposeMatrixOp> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(sizeof(RankIs<X::rank <= 2, TransposeMatrixOp, typename X::shape, GivenRank<2>>) > 0);
    if constexpr (X::rank == 2)
      return TransposeOp<0, 1>::apply(b, x);
    else
      return x;
  }
};

template <int From, int To>
struct FlattenOp : Operation<FlattenOp<From, To>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::flatten_rule<typename X::shape, From, To>;
    static_assert(sizeof(AxisInRange<Rule::ok, FlattenOp, typename X::shape>) > 0);
    return Expr<typename X::dtype, shape_of<Rule>>{ir::reshape(x.value, Rule::value)};
  }
};

template <int... Axes>
struct SqueezeOp : Operation<SqueezeOp<Axes...>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::squeeze_rule<typename X::shape, Axes...>;
    static_assert(sizeof(AxisInRange<Rule::ok, SqueezeOp, typename X::shape>) > 0);
    return Expr<typename X::dtype, shape_of<Rule>>{ir::reshape(x.value, Rule::value)};
  }
};

struct ExpandAsOp : Operation<ExpandAsOp> {
  template <ExprLike X, ExprLike Y>
  static constexpr auto apply(ir::Builder&, const X& x, const Y&) {
    using S = typename Y::shape;
    static_assert(sizeof(ShapesBroadcast<detail::expand_rule<typename X::shape, S>::ok, ExpandAsOp,
                                         typename X::shape, S>) > 0);
    return Expr<typename X::dtype, S>{ir::broadcast(x.value, S::value)};
  }
};

// torch.Tensor.repeat: every axis walked that many times.
template <i64... Times>
struct RepeatOp : Operation<RepeatOp<Times...>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    using Rule = detail::repeat_rule<typename X::shape, Times...>;
    static_assert(sizeof(RepeatsFit<Rule::ok, RepeatOp, typename X::shape>) > 0);
    Dims d = Rule::base;
    ir::Value v = ir::reshape(x.value, d);
    for (int a = 0; Rule::ok && a < d.rank; ++a) {
      if (Rule::times(a) == 1) continue;
      Dims apart;  // (in front, times, the axis and what follows)
      apart.rank = 3;
      apart.extent[0] = apart.extent[1] = apart.extent[2] = 1;
      for (int k = 0; k < d.rank; ++k) apart.extent[k < a ? 0 : 2] *= d.extent[k];
      v = ir::reshape(v, apart);
      apart.extent[1] = Rule::times(a);
      d.extent[a] *= Rule::times(a);
      v = ir::reshape(ir::broadcast(v, apart), d);
    }
    return Expr<typename X::dtype, shape_of<Rule>>{v};
  }
};

// torch.tile: as repeat, with counts of 1 in front where there are fewer than axes.
template <i64... Times>
struct TileOp : Operation<TileOp<Times...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    if constexpr (static_cast<int>(sizeof...(Times)) < X::rank)
      return TileOp<1, Times...>::apply(b, x);
    else
      return RepeatOp<Times...>::apply(b, x);
  }
};

template <int... Axes>
struct FlipOp : Operation<FlipOp<Axes...>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    constexpr bool ok = (axis_in_range(Axes, X::rank) && ... && true);
    static_assert(sizeof(AxisInRange<ok, FlipOp, typename X::shape>) > 0);
    ir::Slices axes;
    if constexpr (ok)
      ((axes[normalize_axis(Axes, X::rank)] = {X::shape::value[Axes] > 0 ? X::shape::value[Axes] - 1 : 0,
                                               -1}),
       ...);
    return X{ir::slice(x.value, axes, X::shape::value)};
  }
};

// Elements move `By` places along the axis; those pushed out come in again in front.
template <i64 By, int Axis>
struct RollOp : Operation<RollOp<By, Axis>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr bool ok = axis_in_range(Axis, X::rank);
    static_assert(sizeof(AxisInRange<ok, RollOp, typename X::shape>) > 0);
    if constexpr (!ok) {
      return x;
    } else {
      constexpr i64 extent = X::shape::value[Axis];
      constexpr i64 by = extent == 0 ? 0 : (By % extent + extent) % extent;
      if constexpr (by == 0) {
        return x;
      } else {
        const auto tail = SliceAxisOp<Axis, extent - by, extent, 1>::apply(b, x);
        const auto head = SliceAxisOp<Axis, 0, extent - by, 1>::apply(b, x);
        return CatOp<Axis>::apply(b, tail, head);
      }
    }
  }
};

template <int A, int B, class X>
constexpr auto transpose(const X& x) {
  return TransposeOp<A, B>{}(x);
}
template <class X>
constexpr auto t(const X& x) {
  return TransposeMatrixOp{}(x);
}
// flatten<1>(x): axes from the first named to the last become one.
template <int From = 0, int To = -1, class X>
constexpr auto flatten(const X& x) {
  return FlattenOp<From, To>{}(x);
}
template <int... Axes, class X>
constexpr auto squeeze(const X& x) {
  return SqueezeOp<Axes...>{}(x);
}
template <class X, class Y>
constexpr auto expand_as(const X& x, const Y& y) {
  return ExpandAsOp{}(x, y);
}
template <i64... To, class X>
constexpr auto broadcast_to(const X& x) {
  return ExpandOp<To...>{}(x);
}
template <i64... Times, class X>
constexpr auto repeat(const X& x) {
  return RepeatOp<Times...>{}(x);
}
template <i64... Times, class X>
constexpr auto tile(const X& x) {
  return TileOp<Times...>{}(x);
}
// Every result is contiguous, so this changes nothing; it is there for code that comes from PyTorch.
template <class X>
constexpr auto contiguous(const X& x) {
  return x;
}
template <int... Axes, class X>
constexpr auto flip(const X& x) {
  return FlipOp<Axes...>{}(x);
}
// roll<1, 0>(x): along one axis.
template <i64 By, int Axis, class X>
constexpr auto roll(const X& x) {
  return RollOp<By, Axis>{}(x);
}

}  // namespace WEFT_NAMESPACE
