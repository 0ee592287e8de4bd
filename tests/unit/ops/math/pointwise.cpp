#include "support/parity.hpp"
#include "weft/ops/math/logic.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("pointwise: one operand, as PyTorch") {
  check_group(
      "unary",
      [](auto x) {
        return std::tuple{neg(x),   abs(x),  sign(x),  floor(x), ceil(x),   round(x),   trunc(x), exp(x),
                          expm1(x), sin(x),  cos(x),   tan(x),   atan(x),   sinh(x),    cosh(x),  tanh(x),
                          erf(x),   erfc(x), asinh(x), exp2(x),  square(x), sigmoid(x), frac(x)};
      },
      in<f32, 3, 7>);
}
TEST_CASE("pointwise: functions of a part of the line") {
  check_group(
      "unary_domain",
      [](auto p, auto u) {
        return std::tuple{log(p),        log1p(p),     log2(p), log10(p), sqrt(p),  rsqrt(p),
                          reciprocal(p), acosh(p + 1), asin(u), acos(u),  atanh(u), logit(u * 0.5 + 0.5)};
      },
      in<f32, 3, 7>, in<f32, 3, 7>);
}
TEST_CASE("pointwise: infinities, NaN and zeros") {
  check_group(
      "unary_special",
      [](auto x) {
        return std::tuple{abs(x),   sign(x),     floor(x), ceil(x),         round(x), trunc(x),
                          exp(x),   log(x),      sqrt(x),  tanh(x),         erf(x),   sigmoid(x),
                          isnan(x), isfinite(x), isinf(x), clamp(x, -1, 2), relu(x),  log1p(x)};
      },
      in<f32, 13>);
}
TEST_CASE("pointwise: two operands that broadcast in every position") {
  check_group(
      "binary",
      [](auto a, auto b, auto s, auto w) {
        return std::tuple{a + b,
                          a - b,
                          a * b,
                          a / b,
                          maximum(a, b),
                          minimum(a, b),
                          atan2(a, b),
                          hypot(a, b),
                          pow(abs(a), b),
                          fmod(a, b),
                          remainder(a, b),
                          floor_divide(a, b),
                          logaddexp(a, b),
                          copysign(a, b),
                          lerp(a, b, w),
                          where(a < b, a, b * 2),
                          masked_fill(a, b > 0, -1.5),
                          isclose(a, a + b * 1e-4, 1e-4),
                          addcmul(a, b, w, 0.5),
                          addcdiv(a, b, w + 1, 2),
                          (a + s) * 2 - 1 / s};
      },
      in<f32, 3, 1, 5>, in<f32, 4, 5>, in<f32>, in<f32, 3, 4, 1>);
}
TEST_CASE("pointwise: comparisons and truth") {
  check_group(
      "compare",
      [](auto a, auto b) {
        return std::tuple{a == b,
                          a != b,
                          a<b, a <= b, a>
                              b,
                          a >= b,
                          logical_and(a > 0, b > 0),
                          logical_or(a > 0, b > 0),
                          logical_xor(a > 0, b > 0),
                          !(a > 0)};
      },
      in<f32, 3, 1, 5>, in<f32, 4, 5>);
}
