#pragma once
// Arithmetic on what values are in padded rows (padded_value.hpp). Law: constant evaluation takes it, which
// has neither infinities nor a math library; what is not known says so.

#include <limits>

#include "weft/ir/graph.hpp"
#include "weft/transforms/padded_value.hpp"

namespace WEFT_NAMESPACE::transforms {

// What constant evaluation adds and multiplies: it has no infinity for a result.
constexpr bool is_small(double x) { return x > -1e150 && x < 1e150; }
constexpr bool finite_sum(double a, double b, double& r) {
  if (is_small(a) && is_small(b)) {
    r = a + b;
    return true;
  }
  const bool first = Candidates::is_infinite(a), second = Candidates::is_infinite(b);
  r = first && second && a != b ? std::numeric_limits<double>::quiet_NaN() : first ? a : b;
  return first || second;
}

// Of one number for each operand; false: what is not among these cases stays unknown.
constexpr bool padded_arithmetic(const ir::Node& n, double a, double b, double& r) {
  const bool flags = n.dtype == DType::boolean;
  switch (n.op) {
    case ir::Op::cast:
      r = flags ? (a != 0 ? 1 : 0) : a;
      // of integers what every one of their dtypes holds
      return flags || is_float(n.dtype) ||
             (a >= (n.dtype == DType::u8 || n.dtype == DType::u32 ? 0 : -100) && a <= 100 &&
              a == static_cast<double>(static_cast<i64>(a)));
    case ir::Op::stop_gradient:
    case ir::Op::surrogate:
      r = a;
      return true;
    case ir::Op::neg:
      r = -a;
      return true;
    case ir::Op::sign:
    case ir::Op::floor:
    case ir::Op::ceil:
    case ir::Op::round:
    case ir::Op::trunc:
    case ir::Op::sqrt:
    case ir::Op::expm1:
    case ir::Op::log1p:
    case ir::Op::sin:
    case ir::Op::tan:
    case ir::Op::asin:
    case ir::Op::atan:
    case ir::Op::sinh:
    case ir::Op::tanh:
    case ir::Op::erf:
      r = 0;
      return a == 0;
    case ir::Op::exp:
    case ir::Op::cos:
    case ir::Op::cosh:
      r = 1;
      return a == 0;
    case ir::Op::is_nan:
      r = a != a ? 1 : 0;
      return true;
    case ir::Op::is_finite:
      r = a == a && !Candidates::is_infinite(a) ? 1 : 0;
      return true;
    case ir::Op::abs:
      r = a < 0 ? -a : a;
      return true;
    case ir::Op::logical_not:
      r = a == 0 ? 1 : 0;
      return true;
    case ir::Op::add:
      return finite_sum(a, b, r);
    case ir::Op::sub:
      return finite_sum(a, -b, r);
    case ir::Op::mul:
      if (!is_small(a) || !is_small(b)) return false;
      r = a * b;
      return true;
    case ir::Op::max:
      r = a < b ? b : a;
      return true;
    case ir::Op::min:
      r = b < a ? b : a;
      return true;
    case ir::Op::eq:
      r = a == b ? 1 : 0;
      return true;
    case ir::Op::ne:
      r = a != b ? 1 : 0;
      return true;
    case ir::Op::lt:
      r = a < b ? 1 : 0;
      return true;
    case ir::Op::le:
      r = a <= b ? 1 : 0;
      return true;
    case ir::Op::bit_and:
      r = a != 0 && b != 0 ? 1 : 0;
      return flags;
    case ir::Op::bit_or:
      r = a != 0 || b != 0 ? 1 : 0;
      return flags;
    default:
      return false;
  }
}

}  // namespace WEFT_NAMESPACE::transforms
