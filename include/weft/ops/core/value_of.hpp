#pragma once
// What to_expr makes of what is no Expr: literals and run-time tensors stay what they are, the rest is
// refused.

#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::detail {

// x -> x
struct ValueOp : Operation<ValueOp> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    return x;
  }
};

template <class A>
constexpr auto value_of(const A& a) {
  const auto value = ValueOp{}(a);
  if constexpr (is_after_refusal<std::remove_cvref_t<decltype(value)>>)
    return Expr<f32, Shape<>>{};
  else
    return value;
}

}  // namespace WEFT_NAMESPACE::detail
