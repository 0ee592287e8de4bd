#pragma once
// Matrix products with PyTorch's rules for vectors, matrices and batches; all are one `dot`.

#include "weft/ops/shape/movement.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

constexpr ir::DotAxes contract_last(int rank_a, int axis_b) {
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = rank_a - 1;
  axes.contracted_b[0] = axis_b;
  return axes;
}

// matmul(a, b): the shapes' rules, in one place.
template <class A, class B>
struct matmul_rule {
  static constexpr Dims a = A::value, b = B::value;
  static constexpr bool ranked = a.rank >= 1 && b.rank >= 1;
  static constexpr i64 inner_a = ranked ? a.extent[a.rank - 1] : 0;
  static constexpr i64 inner_b = ranked ? b.extent[b.rank >= 2 ? b.rank - 2 : 0] : 0;
  static constexpr Dims batch_of(const Dims& d) {
    Dims r;
    for (r.rank = 0; r.rank + 2 < d.rank; ++r.rank) r.extent[r.rank] = d.extent[r.rank];
    return r;
  }
  static constexpr bool batches = broadcastable(batch_of(a), batch_of(b));
  static constexpr bool ok = ranked && inner_a == inner_b && batches;
  static constexpr Dims batch = ok ? broadcast(batch_of(a), batch_of(b)) : Dims{};
  static constexpr Dims make() {
    Dims r = batch;
    if (a.rank >= 2) r.extent[r.rank++] = a.extent[a.rank - 2];
    if (b.rank >= 2) r.extent[r.rank++] = b.extent[b.rank - 1];
    return r;
  }
  static constexpr Dims value = make();
};

constexpr ir::Value matmul_value(ir::Value a, ir::Value b, const Dims& batch, DType result) {
  const Dims da = a.dims(), db = b.dims();
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = da.rank - 1;
  axes.contracted_b[0] = db.rank >= 2 ? db.rank - 2 : 0;
  // without a batch of b's own, all leading axes of a are rows of one product
  if (db.rank <= 2) return ir::dot(a, b, axes, result);
  const auto expanded = [&](ir::Value v, const Dims& d) {
    Dims to = batch;
    if (d.rank >= 2) to.extent[to.rank++] = d.extent[d.rank - 2];
    to.extent[to.rank++] = d.extent[d.rank - 1];
    return ir::broadcast(v, to);
  };
  a = expanded(a, da);
  b = expanded(b, db);
  axes.batch = batch.rank;
  for (int i = 0; i < batch.rank; ++i) axes.batch_a[i] = axes.batch_b[i] = i;
  axes.contracted_a[0] = a.dims().rank - 1;
  axes.contracted_b[0] = b.dims().rank - 2;
  return ir::dot(a, b, axes, result);
}

template <class X, class W>
struct linear_rule {
  static constexpr Dims make() {
    Dims r = X::value;
    if (r.rank > 0) r.extent[r.rank - 1] = W::value.extent[0];
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

// torch.matmul: vectors, matrices, broadcast batches.
struct MatmulOp : Operation<MatmulOp> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder&, const A& a, const B& b) {
    using Rule = detail::matmul_rule<typename A::shape, typename B::shape>;
    static_assert(sizeof(InnerExtentsEqual<Rule::ok, MatmulOp, typename A::shape, typename B::shape>) > 0);
    using T = promoted<typename A::dtype, typename B::dtype>;
    using S = shape_of<Rule>;
    static_assert(
        sizeof(DtypeAllowed<!std::is_same_v<T, bool>, MatmulOp, typename A::dtype, typename B::dtype>) > 0);
    if constexpr (Rule::ok) {
      const ir::Value v = detail::matmul_value(ir::cast(a.value, dtype_of<T>), ir::cast(b.value, dtype_of<T>),
                                               Rule::batch, dtype_of<T>);
      return Expr<T, S>{v};
    } else {
      return detail::refused<T, S>(a, b);
    }
  }
};

WEFT_REFUSAL(
    WeightIsOutIn,
    "linear: the weight is (out, in), as in PyTorch, and x (..., in): of a w that is (in, out) write "
    "linear(x, t(w)) or matmul(x, w); the layer nn::Linear<In, Out> takes an x of (..., In)");

// x (..., in) times weight (out, in) transposed, plus bias (out): torch.nn.functional.linear.
struct LinearOp : Operation<LinearOp> {
  template <ExprLike X, ExprLike W>
  static constexpr auto apply(ir::Builder&, const X& x, const W& w) {
    constexpr Dims dx = X::shape::value, dw = W::shape::value;
    constexpr bool ok =
        dx.rank >= 1 && dw.rank == 2 && dx.extent[dx.rank >= 1 ? dx.rank - 1 : 0] == dw.extent[1];
    constexpr bool turned =
        dx.rank >= 1 && dw.rank == 2 && dx.extent[dx.rank >= 1 ? dx.rank - 1 : 0] == dw.extent[0];
    static_assert(sizeof(WeightIsOutIn < ok || !turned, LinearOp, typename X::shape, typename W::shape >) >
                  0);
    static_assert(sizeof(InnerExtentsEqual < ok || turned, LinearOp, typename X::shape, typename W::shape >) >
                  0);
    using T = promoted<typename X::dtype, typename W::dtype>;
    using S = shape_of<detail::linear_rule<typename X::shape, typename W::shape>>;
    static_assert(
        sizeof(DtypeAllowed<!std::is_same_v<T, bool>, LinearOp, typename X::dtype, typename W::dtype>) > 0);
    if constexpr (ok)
      return Expr<T, S>{ir::dot(ir::cast(x.value, dtype_of<T>), ir::cast(w.value, dtype_of<T>),
                                detail::contract_last(dx.rank, 1), dtype_of<T>)};
    else
      return detail::refused<T, S>(x, w);
  }
  template <ExprLike X, ExprLike W, class B>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& w, const B& bias) {
    return BinaryOp<ir::Op::add>::apply(b, apply(b, x, w), bias);
  }
};

// Batches of matrices only: torch.bmm.
struct BmmOp : Operation<BmmOp> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    static_assert(sizeof(RankIs < A::rank == 3 && B::rank == 3, BmmOp, typename A::shape, typename B::shape,
                         GivenRank < 3 >>) > 0);
    return MatmulOp::apply(b, x, y);
  }
};

// beta c + alpha p. A beta of 0 leaves c out, so that its NaN and infinities do not count; an alpha of 0
// leaves the product out where PyTorch does (`Skips`).
template <bool Skips>
struct ScaledSumOp : Operation<ScaledSumOp<Skips>> {
  template <class C, class P, class S, class R>
  static constexpr auto apply(ir::Builder&, const C& c, const P& product, const S& beta, const R& alpha) {
    auto kept = mul(c, beta);
    auto added = mul(product, alpha);
    if constexpr (Scalar<S>)
      if (beta == 0) kept.value = ir::constant_like(kept.value, 0);
    if constexpr (Skips && Scalar<R>)
      if (alpha == 0) added.value = ir::constant_like(added.value, 0);
    return add(kept, added);
  }
};

// c + a b, the product scaled by alpha and c by beta: torch.addmm.
struct AddmmOp : Operation<AddmmOp> {
  template <class C, ExprLike A, ExprLike B, class S, class R>
  static constexpr auto apply(ir::Builder& b, const C& c, const A& x, const B& y, const S& beta,
                              const R& alpha) {
    static_assert(sizeof(RankIs < A::rank == 2 && B::rank == 2, AddmmOp, typename A::shape, typename B::shape,
                         GivenRank < 2 >>) > 0);
    return ScaledSumOp<true>::apply(b, c, MatmulOp::apply(b, x, y), beta, alpha);
  }
  template <class C, ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const C& c, const A& x, const B& y) {
    static_assert(sizeof(RankIs < A::rank == 2 && B::rank == 2, AddmmOp, typename A::shape, typename B::shape,
                         GivenRank < 2 >>) > 0);
    return add(c, MatmulOp::apply(b, x, y));
  }
};

// Every element of one vector times every element of the other.
struct OuterOp : Operation<OuterOp> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    static_assert(sizeof(RankIs < A::rank == 1 && B::rank == 1, OuterOp, typename A::shape, typename B::shape,
                         GivenRank < 1 >>) > 0);
    if constexpr (A::rank == 1 && B::rank == 1)
      return mul(ReshapeOp<A::shape::size, 1>::apply(b, x), ReshapeOp<1, B::shape::size>::apply(b, y));
    else
      return x;
  }
};

inline constexpr MatmulOp matmul{};
// A product of operands of these ranks alone.
template <int RankA, int RankB>
struct RankedMatmulOp : Operation<RankedMatmulOp<RankA, RankB>> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    static_assert(sizeof(RankIs<A::rank == RankA, RankedMatmulOp, typename A::shape, GivenRank<RankA>>) > 0);
    static_assert(sizeof(RankIs<B::rank == RankB, RankedMatmulOp, typename B::shape, GivenRank<RankB>>) > 0);
    return MatmulOp::apply(b, x, y);
  }
};
inline constexpr RankedMatmulOp<2, 2> mm{};
inline constexpr RankedMatmulOp<2, 1> mv{};
inline constexpr BmmOp bmm{};
inline constexpr AddmmOp addmm{};
template <class A, class B>
constexpr auto outer(const A& a, const B& b) {
  return OuterOp{}(a, b);
}
inline constexpr LinearOp linear{};

}  // namespace WEFT_NAMESPACE
