#include "weft/transforms/padded_arithmetic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace weft;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unknown = -12345;

// What `op` of a and b is, while the program compiles.
constexpr double of(ir::Op op, double a, double b = 0, DType t = DType::f32) {
  double r = 0;
  return transforms::padded_arithmetic(ir::Node{op, t}, a, b, r) ? r : unknown;
}

}  // namespace

TEST_CASE("padded arithmetic: constant evaluation takes infinities") {
  using ir::Op;
  constexpr double opposite = of(Op::add, infinity, -infinity),
                   difference = of(Op::sub, -infinity, -infinity);
  CHECK(std::isnan(opposite));
  CHECK(std::isnan(difference));
  constexpr double same = of(Op::sub, infinity, -infinity), beside = of(Op::add, 1, -infinity);
  CHECK(same == infinity);
  CHECK(beside == -infinity);
  constexpr double large = of(Op::mul, 1e200, 1e200), product = of(Op::mul, infinity, 2),
                   sum = of(Op::add, 1e308, 1e308);
  CHECK(large == unknown);
  CHECK(product == unknown);
  CHECK(sum == unknown);
}

TEST_CASE("padded arithmetic: functions at 0, and what is not known") {
  using ir::Op;
  for (const Op op : {Op::sqrt, Op::expm1, Op::log1p, Op::sin, Op::tan, Op::tanh, Op::erf, Op::round}) {
    CHECK(of(op, 0) == 0);
    CHECK(of(op, 0.5) == unknown);
  }
  CHECK(of(Op::exp, 0) == 1);
  CHECK(of(Op::cos, 0) == 1);
  CHECK(of(Op::mul, 3, -2) == -6);
  CHECK(of(Op::max, 3, -2) == 3);
  CHECK(of(Op::is_finite, infinity, 0, DType::boolean) == 0);
  CHECK(of(Op::is_nan, std::nan(""), 0, DType::boolean) == 1);
  CHECK(of(Op::cast, -7, 0, DType::i32) == -7);
  CHECK(of(Op::cast, -7, 0, DType::u8) == unknown);
  CHECK(of(Op::cast, 0.5, 0, DType::i32) == unknown);
}
