#pragma once
// More of torch's products, composed of dot, views and arithmetic: kron, cross, inner, vecdot, tensordot,
// addmv and its like, matrix_power.

#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"
#include "weft/ops/shape/triangular.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <class A, class B>
struct kron_rule {
  static constexpr int rank = A::rank > B::rank ? A::rank : B::rank;
  static constexpr bool ok = 2 * rank <= max_rank;
  static constexpr i64 extent(const Dims& d, int k) {
    const int at = k - (rank - d.rank);
    return at < 0 ? 1 : d.extent[at];
  }
  static constexpr Dims apart(const Dims& d, bool first) {
    Dims r;
    for (int k = 0; ok && k < rank; ++k) {
      r.extent[r.rank++] = first ? extent(d, k) : 1;
      r.extent[r.rank++] = first ? 1 : extent(d, k);
    }
    return r;
  }
  static constexpr Dims make() {
    Dims r;
    for (int k = 0; k < rank; ++k) r.extent[r.rank++] = extent(A::value, k) * extent(B::value, k);
    return r;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

struct KronOp : Operation<KronOp> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    using Rule = detail::kron_rule<typename A::shape, typename B::shape>;
    static_assert(sizeof(RankIs<Rule::ok, KronOp, typename A::shape, typename B::shape, GivenRank<4>>) > 0);
    using R = Expr<promoted<typename A::dtype, typename B::dtype>, shape_of<Rule>>;
    if constexpr (Rule::ok) {
      const ir::Value v = detail::as_value<typename R::dtype>(b, x),
                      w = detail::as_value<typename R::dtype>(b, y);
      const ir::Value rows = ir::reshape(v, Rule::apart(A::shape::value, true));
      const ir::Value cells = ir::reshape(w, Rule::apart(B::shape::value, false));
      return R{ir::reshape(rows * cells, Rule::value)};
    } else {
      return detail::refused<typename R::dtype, typename R::shape>(x, y);
    }
  }
};

// What: the shape, and how long the axis is to be.
WEFT_REFUSAL(CrossIsOfThree,
             "cross: the axis along which the vectors lie has 3 elements, and without one in <> it is the "
             "last: write cross<0>(x, y) where the first has 3; the inner product is vecdot<-1>(x, y)");
// Of vectors of 3 along an axis.
template <int Axis>
struct CrossOp : Operation<CrossOp<Axis>> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    using S = decltype(detail::broadcast_shapes<CrossOp, A, B>());
    constexpr bool ok = axis_in_range(Axis, S::rank);
    static_assert(sizeof(AxisInRange<ok, CrossOp, S>) > 0);
    constexpr bool three = !ok || S::value[Axis] == 3;
    static_assert(sizeof(CrossIsOfThree<three, CrossOp, S, WantedSize<3>>) > 0);
    if constexpr (ok && three) {
      using T = promoted<typename A::dtype, typename B::dtype>;
      const Expr<T, S> v{ir::broadcast(ir::cast(x.value, dtype_of<T>), S::value)};
      const Expr<T, S> w{ir::broadcast(ir::cast(y.value, dtype_of<T>), S::value)};
      const auto v1 = RollOp<-1, Axis>::apply(b, v), w2 = RollOp<-2, Axis>::apply(b, w);
      const auto v2 = RollOp<-2, Axis>::apply(b, v), w1 = RollOp<-1, Axis>::apply(b, w);
      return sub(mul(v1, w2), mul(v2, w1));
    } else {
      return detail::refused<promoted<typename A::dtype, typename B::dtype>, S>(x, y);
    }
  }
};

// Axes Of of a with axes With of b, pair by pair.
template <AxisList Of, AxisList With>
struct ContractOp : Operation<ContractOp<Of, With>> {
  template <class A, class B>
  struct Rule {
    static constexpr bool check() {
      if (Of.count != With.count || !Of.names(A::rank) || !With.names(B::rank)) return false;
      for (int k = 0; k < Of.count; ++k)
        if (A::value.extent[Of.at(k, A::rank)] != B::value.extent[With.at(k, B::rank)]) return false;
      return true;
    }
    static constexpr bool has_room = A::rank + B::rank - 2 * Of.count <= max_rank;
    static constexpr bool equal = check();
    static constexpr bool ok = equal && has_room;
    static constexpr ir::DotAxes make_axes() {
      ir::DotAxes axes;
      for (int k = 0; ok && k < Of.count; ++k) {
        axes.contracted_a[k] = Of.at(k, A::rank);
        axes.contracted_b[k] = With.at(k, B::rank);
      }
      axes.contracted = ok ? Of.count : 0;
      return axes;
    }
    static constexpr Dims value = ok ? ir::dot_dims(A::value, B::value, make_axes()) : Dims{};
  };
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder&, const A& x, const B& y) {
    using R = Rule<typename A::shape, typename B::shape>;
    static_assert(sizeof(InnerExtentsEqual<R::equal, ContractOp, typename A::shape, typename B::shape>) > 0);
    static_assert(sizeof(ResultHasRoom<R::has_room, ContractOp, typename A::shape, typename B::shape>) > 0);
    using T = promoted<typename A::dtype, typename B::dtype>;
    static_assert(
        sizeof(DtypeAllowed<!std::is_same_v<T, bool>, ContractOp, typename A::dtype, typename B::dtype>) > 0);
    using Result = Expr<T, shape_of<R>>;
    if constexpr (R::ok)
      return Result{ir::dot(ir::cast(x.value, dtype_of<T>), ir::cast(y.value, dtype_of<T>), R::make_axes(),
                            dtype_of<T>)};
    else
      return detail::refused<T, typename Result::shape>(x, y);
  }
};

// The last Count axes of a with the first Count of b.
template <int Count>
struct TensorDotOp : Operation<TensorDotOp<Count>> {
  static constexpr AxisList run(int first) {
    AxisList list = Count < 0 ? max_rank : 0;  // no such axis
    list.count = Count < 0 ? 1 : Count;
    for (int k = 0; k < list.count && k < 8; ++k) list.axis[k] = first + k;
    return list;
  }
  template <ExprLike A, class B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    return ContractOp<run(A::rank - Count), run(0)>::apply(b, x, y);
  }
};

// torch.inner: over the last axis of both.
struct InnerOp : Operation<InnerOp> {
  template <ExprLike A, ExprLike B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    if constexpr (A::rank == 0 || B::rank == 0)
      return mul(x, y);
    else
      return TensorDotOp<1>::apply(b, x, MoveDimOp<-1, 0>::apply(b, y));
  }
};

WEFT_REFUSAL(PowerIsPositive,
             "matrix_power<n>(x): the power is 1 or more; the power 0 of n rows is eye<f32, n>()");
template <int Power>
struct MatrixPowerOp : Operation<MatrixPowerOp<Power>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(sizeof(PowerIsPositive<(Power >= 1), MatrixPowerOp, typename X::shape>) > 0);
    if constexpr (Power <= 1) {
      return x;
    } else {
      const auto root = MatrixPowerOp<Power / 2>::apply(b, x);
      const auto square = MatmulOp::apply(b, root, root);
      if constexpr (Power % 2 == 0)
        return square;
      else
        return MatmulOp::apply(b, square, x);
    }
  }
};
template <class A, class B>
constexpr auto kron(const A& a, const B& b) {
  return KronOp{}(a, b);
}
template <int Axis = -1, class A, class B>
constexpr auto cross(const A& a, const B& b) {
  return CrossOp<Axis>{}(a, b);
}
template <class A, class B>
constexpr auto inner(const A& a, const B& b) {
  return InnerOp{}(a, b);
}
template <class A, class B>
constexpr auto dot(const A& a, const B& b) {
  return RankedMatmulOp<1, 1>{}(a, b);
}
// The sum of products along an axis; both broadcast.
template <int Axis = -1, class A, class B>
constexpr auto vecdot(const A& a, const B& b) {
  return sum<Axis>(mul(a, b));
}
// tensordot<n>(a, b): the last n axes of a with the first n of b.
template <int Count = 2, class A, class B>
constexpr auto tensordot(const A& a, const B& b) {
  return TensorDotOp<Count>{}(a, b);
}
// tensordot<AxisList{1, 0}, AxisList{0, 2}>(a, b): axis 1 of a with axis 0 of b, axis 0 with axis 2.
template <AxisList Of, AxisList With, class A, class B>
constexpr auto tensordot(const A& a, const B& b) {
  return ContractOp<Of, With>{}(a, b);
}
// beta c + alpha a b, of batches of matrices, of a matrix and a vector, of two vectors, summed over a batch.
template <class C, class A, class B, class S = int, class R = int>
constexpr auto baddbmm(const C& c, const A& a, const B& b, const S& beta = 1, const R& alpha = 1) {
  return ScaledSumOp<false>{}(c, BmmOp{}(a, b), beta, alpha);
}
template <class C, class A, class V, class S = int, class R = int>
constexpr auto addmv(const C& c, const A& a, const V& v, const S& beta = 1, const R& alpha = 1) {
  return ScaledSumOp<true>{}(c, MatmulOp{}(a, v), beta, alpha);
}
template <class C, class A, class B, class S = int, class R = int>
constexpr auto addr(const C& c, const A& a, const B& b, const S& beta = 1, const R& alpha = 1) {
  return ScaledSumOp<false>{}(c, OuterOp{}(a, b), beta, alpha);
}
template <class C, class A, class B, class S = int, class R = int>
constexpr auto addbmm(const C& c, const A& a, const B& b, const S& beta = 1, const R& alpha = 1) {
  return ScaledSumOp<true>{}(c, TensorDotOp<2>{}(MoveDimOp<0, 1>{}(a), b), beta, alpha);
}
template <int Power, class X>
constexpr auto matrix_power(const X& x) {
  return MatrixPowerOp<Power>{}(x);
}

}  // namespace WEFT_NAMESPACE
