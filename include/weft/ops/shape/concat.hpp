#pragma once
// cat and stack. Each operand is padded to the result's extents, and an index along the axis says whose
// element counts, so that joining is part of the kernel that reads the result.

#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <int Axis, class First, class... Rest>
struct cat_rule {
  static constexpr bool in_range = axis_in_range(Axis, First::rank);
  static constexpr int axis = in_range ? normalize_axis(Axis, First::rank) : 0;
  static constexpr bool fits(Dims d) {
    if (d.rank != First::rank) return false;
    d.extent[axis] = First::value.extent[axis];
    return d == First::value;
  }
  static constexpr bool ok = in_range && (fits(Rest::value) && ... && true);
  static constexpr Dims make() {
    Dims r = First::value;
    if (ok) r.extent[axis] = (First::value.extent[axis] + ... + Rest::value.extent[axis]);
    return r;
  }
  static constexpr Dims value = make();
};

template <class A, class... B>
struct promote_all {
  using type = A;
};
template <class A, class B, class... C>
struct promote_all<A, B, C...> {
  using type = typename promote_all<promoted<A, B>, C...>::type;
};

}  // namespace detail

WEFT_REFUSAL(JoinableShapes,
             "the shapes cannot be joined: they must agree in all axes but the one named, which must exist");

WEFT_REFUSAL(OperandsAreJoined,
             "cat and stack join one value or more, argument by argument: cat<0>(a, b), stack<0>(a, b, c)");
WEFT_REFUSAL(AxisIsNamed, "the axis is a template argument: write cat<1>(a, b) and stack<1>(a, b)");

template <int Axis>
struct CatOp : Operation<CatOp<Axis>> {
  template <ExprLike... X>
  static constexpr auto apply(ir::Builder& b, const X&... x) {
    using Rule = detail::cat_rule<Axis, typename X::shape...>;
    static_assert(sizeof(JoinableShapes<Rule::ok, CatOp, typename X::shape...>) > 0);
    using T = typename detail::promote_all<typename X::dtype...>::type;
    using S = shape_of<Rule>;
    if constexpr (!Rule::ok) {
      return detail::refused<T, S>(x...);
    } else {
      constexpr Dims to = Rule::value;
      ir::Value joined;
      i64 begin = 0;
      const auto append = [&](ir::Value v) {
        const i64 extent = v.dims().extent[Rule::axis];
        if (extent == 0) return;
        i64 widths[2 * max_rank]{};
        widths[2 * Rule::axis] = begin;
        widths[2 * Rule::axis + 1] = to.extent[Rule::axis] - begin - extent;
        const ir::Value wide = ir::pad(v, widths, 0);
        if (joined) {
          const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, to, static_cast<u64>(Rule::axis))};
          joined =
              ir::select(ir::binary(ir::Op::lt, place, ir::constant_like(place, static_cast<double>(begin))),
                         joined, wide);
        } else {
          joined = wide;
        }
        begin += extent;
      };
      (append(ir::cast(x.value, dtype_of<T>)), ...);
      if (!joined) joined = ir::constant(b, dtype_of<T>, to, 0);
      return Expr<T, S>{joined};
    }
  }
};

WEFT_REFUSAL(StackedShapesEqual,
             "stack puts operands of one shape along a new axis: cat<axis>(a, b) joins them along one that "
             "is there, where other extents may differ, unsqueeze, expand and reshape make shapes equal");
template <int Axis>
struct StackOp : Operation<StackOp<Axis>> {
  template <class A, class... X>
  static constexpr auto apply(ir::Builder& b, const A& a, const X&... x) {
    constexpr bool equal = (std::is_same_v<typename A::shape, typename X::shape> && ... && true);
    static_assert(sizeof(StackedShapesEqual<equal, StackOp, typename A::shape, typename X::shape...>) > 0);
    if constexpr (equal)
      return CatOp<Axis>::apply(b, UnsqueezeOp<Axis>::apply(b, a), UnsqueezeOp<Axis>::apply(b, x)...);
    else
      return UnsqueezeOp<Axis>::apply(b, a);
  }
};

// cat<axis>(a, b, ...): operands one after another along an axis.
template <int Axis = 0, class... X>
constexpr auto cat(const X&... x) {
  static_assert(sizeof(OperandsAreJoined<(sizeof...(X) > 0), CatOp<Axis>>) > 0);
  static_assert(sizeof(AxisIsNamed<!(Scalar<X> || ...), CatOp<Axis>, X...>) > 0);
  if constexpr (sizeof...(X) == 0)
    return AfterRefusal{};
  else if constexpr ((Scalar<X> || ...))
    return detail::first_expr(x...);
  else
    return CatOp<Axis>{}(x...);
}
// stack<axis>(a, b, ...): operands of one shape along a new axis.
template <int Axis = 0, class... X>
constexpr auto stack(const X&... x) {
  static_assert(sizeof(OperandsAreJoined<(sizeof...(X) > 0), StackOp<Axis>>) > 0);
  static_assert(sizeof(AxisIsNamed<!(Scalar<X> || ...), StackOp<Axis>, X...>) > 0);
  if constexpr (sizeof...(X) == 0)
    return AfterRefusal{};
  else if constexpr ((Scalar<X> || ...))
    return detail::first_expr(x...);
  else
    return StackOp<Axis>{}(x...);
}

}  // namespace WEFT_NAMESPACE
