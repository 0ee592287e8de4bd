#pragma once
// ignore(x, ...): says that an input of a loss is not used on purpose, so that the trainer does not refuse
// it.

#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

// Says that an input is not used on purpose.
constexpr void ignore(const auto&... x) {
  // a marker that reads x and that nothing reads; it is dropped before anything is compiled
  (static_cast<void>(ir::unary(ir::Op::stop_gradient, to_expr(x).value)), ...);
}

}  // namespace WEFT_NAMESPACE
