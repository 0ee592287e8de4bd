#pragma once
// y_o = x1^T W_o x2 + b_o over the last axes.

#include "weft/nn/param.hpp"
#include "weft/nn/spelling.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace WEFT_NAMESPACE::nn {

namespace module_detail {
template <class X, class Y, class W>
struct bilinear_rule {
  static constexpr Dims x = X::value, y = Y::value, w = W::value;
  static constexpr bool check() {
    if (x.rank < 1 || x.rank != y.rank) return false;
    for (int i = 0; i + 1 < x.rank; ++i)
      if (x.extent[i] != y.extent[i]) return false;
    return x.extent[x.rank - 1] == w.extent[1] && y.extent[y.rank - 1] == w.extent[2];
  }
  static constexpr bool ok = check();
  static constexpr Dims make() {
    Dims d = x;
    if (d.rank > 0) d.extent[d.rank - 1] = w.extent[0];
    return d;
  }
  static constexpr Dims value = make();
};
struct BilinearOp : Operation<BilinearOp> {
  template <ExprLike X, ExprLike Y, ExprLike W>
  static constexpr auto apply(ir::Builder&, const X& x, const Y& y, const W& w) {
    using Rule = bilinear_rule<typename X::shape, typename Y::shape, typename W::shape>;
    constexpr bool ok = Rule::ok;
    static_assert(
        sizeof(InnerExtentsEqual<ok, BilinearOp, typename X::shape, typename Y::shape, typename W::shape>) >
        0);
    using T = promoted<promoted<typename X::dtype, typename Y::dtype>, typename W::dtype>;
    using R = Expr<T, shape_of<Rule>>;
    if constexpr (ok) {
      constexpr DType t = dtype_of<T>;
      // (..., in1) times (out, in1, in2) over in1, then the sum over in2 of its products with x2
      const ir::Value left =
          ir::dot(ir::cast(x.value, t), ir::cast(w.value, t), weft::detail::contract_last(X::rank, 1), t);
      Dims rows = Y::shape::value;
      rows.extent[rows.rank] = rows.extent[rows.rank - 1];
      rows.extent[rows.rank - 1] = 1;
      ++rows.rank;
      const ir::Value right = ir::reshape(ir::cast(y.value, t), rows);
      return R{ir::reshape(weft::detail::reduce_keep(ir::Op::reduce_sum, left * right, 1u << (rows.rank - 1)),
                           R::shape::value)};
    } else {
      return weft::detail::refused<T, typename R::shape>(x, y, w);
    }
  }
};
}  // namespace module_detail

namespace functional {

// bilinear(x1, x2, weight), (x1, x2, weight, bias): weight (out, in1, in2), bias (out).
template <class X, class Y, class W>
constexpr auto bilinear(const X& x1, const Y& x2, const W& weight) {
  return module_detail::BilinearOp{}(x1, x2, weight);
}
template <class X, class Y, class W, class B>
constexpr auto bilinear(const X& x1, const Y& x2, const W& weight, const B& bias) {
  return add(module_detail::BilinearOp{}(x1, x2, weight), bias);
}

}  // namespace functional

// x1 (..., In1), x2 (..., In2) -> (..., Out). weight (Out, In1, In2), bias (Out), uniform in +-1 / sqrt(In1).
template <i64 In1, i64 In2 = not_given, i64 Out = not_given, bool Bias = true, class T = f32>
struct Bilinear {
  Param<T, Shape<Out, In1, In2>, init::FanInUniform<In1>> weight{};
  Param<T, Shape<Out>, init::FanInUniform<In1>> bias{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x1, const auto& x2) const {
    return module_detail::BilinearOp{}(x1, x2, weight) + bias;
  }
  WEFT_REFUSED_ONE(Bilinear)
};
template <i64 In1, i64 In2>
struct Bilinear<In1, In2, not_given> : WithoutSizes<spelled::Linear, GivenSize<In1>, GivenSize<In2>> {
  using WithoutSizes<spelled::Linear, GivenSize<In1>, GivenSize<In2>>::WithoutSizes;
};
WEFT_REFUSED_SIZES(Bilinear, not_given)
template <i64 In1, i64 In2, i64 Out, class T>
struct Bilinear<In1, In2, Out, false, T> {
  Param<T, Shape<Out, In1, In2>, init::FanInUniform<In1>> weight{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x1, const auto& x2) const {
    return module_detail::BilinearOp{}(x1, x2, weight);
  }
  WEFT_REFUSED_ONE(Bilinear)
};

}  // namespace WEFT_NAMESPACE::nn
