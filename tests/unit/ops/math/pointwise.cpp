#include <cmath>

#include "support/parity.hpp"
#include "weft/ops/math/logic.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/shape/creation.hpp"

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

namespace {
// A number that T does not hold is compared, chosen, converted and divided by as the element that T makes of
// it, as in PyTorch; what is added or multiplied is as precise as f32.
template <class T>
void check_numbers_as_elements(float fifth, float sum) {
  auto compared = compile(
      test_device(),
      [](auto x) {
        return std::tuple{x == 0.2, x != 0.2, x<0.2, x <= 0.2, x >= 0.2, x> 0.2, 0.2 == x, 0.2 < x};
      },
      in<T, 3>);
  const std::vector<T> tenths{T(0.1f), T(0.2f), T(0.3f)};
  const auto c = compared(tenths);
  const auto holds = [](const auto& r, bool a, bool b, bool d) {
    return r[0] == a && r[1] == b && r[2] == d;
  };
  CHECK(holds(std::get<0>(c), false, true, false));
  CHECK(holds(std::get<1>(c), true, false, true));
  CHECK(holds(std::get<2>(c), true, false, false));
  CHECK(holds(std::get<3>(c), true, true, false));
  CHECK(holds(std::get<4>(c), false, true, true));
  CHECK(holds(std::get<5>(c), false, false, true));
  CHECK(holds(std::get<6>(c), false, true, false));
  CHECK(holds(std::get<7>(c), false, false, true));

  auto made = compile(
      test_device(),
      [](auto x) {
        return std::tuple{cast<f32>(full<T, 3>(0.2)), cast<f32>(full_like(x, 0.2)),
                          cast<f32>(full<T, 3>(0.2) + x), cast<f32>(clamp(x, 0.2, 0.25)),
                          cast<f32>(masked_fill(x, x > 0.2, 0.2))};
      },
      in<T, 3>);
  const auto m = made(tenths);
  CHECK(std::get<0>(m)[0] == fifth);
  CHECK(std::get<1>(m)[0] == fifth);
  CHECK(std::get<2>(m)[1] == sum);
  CHECK(std::get<3>(m)[0] == fifth);
  CHECK(std::get<3>(m)[2] == 0.25f);
  CHECK(std::get<4>(m)[2] == fifth);

  auto divided = compile(
      test_device(),
      [](auto x) {
        return std::tuple{fmod(x, 0.15), remainder(x, 0.15), remainder(x, -0.15),  remainder(-x, 0.15),
                          fmod(0.3, x),  remainder(0.3, x),  floor_divide(0.3, x), floor_divide(x, 0.1)};
      },
      in<T, 4>);
  const auto d = divided(std::vector<T>{T(0.2f), T(0.25f), T(0.3f), T(7.90625f)});
  const float step = T(0.15f);
  const float rest[]{T(T(0.2f) - step), T(0.25f - step), 0};  // 0.3 is twice 0.15 in every binary float
  for (i64 k = 0; k < 3; ++k) {
    CHECK(std::get<0>(d)[k] == rest[k]);
    CHECK(std::get<1>(d)[k] == rest[k]);
    CHECK(std::get<2>(d)[k] == (k < 2 ? float(T(rest[k] - step)) : 0));
    CHECK(std::get<3>(d)[k] == (k < 2 ? float(T(step - rest[k])) : 0));
  }
  CHECK(std::get<4>(d)[2] == 0);
  CHECK(std::get<5>(d)[2] == 0);
  CHECK(std::get<6>(d)[2] == 1);
  CHECK(std::get<7>(d)[3] == 79);  // by 0.1 as f32 holds it, which is what PyTorch divides by here
}
}  // namespace

TEST_CASE("pointwise: numbers that become elements of small floats") {
  check_numbers_as_elements<bf16>(0.2001953125f, 0.400390625f);
  check_numbers_as_elements<f16>(0.199951171875f, 0.39990234375f);
}

TEST_CASE("pointwise: the sign of a number, which may be a zero's") {
  auto f = compile(
      test_device(),
      [](auto x) {
        return std::tuple{copysign(x, -0.0), copysign(x, 0.0f), copysign(x, 0), copysign(x, -3),
                          copysign(x, 2.5)};
      },
      in<f32, 3>);
  const std::vector<f32> up{1, 2, 0}, down{-1, -2, -0.0f};
  const auto [a, b, c, d, e] = f(std::vector<f32>{-1, 2, -0.0f});
  CHECK(a.to_vector() == down);
  CHECK(std::signbit(a[2]));
  CHECK(b.to_vector() == up);
  CHECK(c.to_vector() == up);
  CHECK(!std::signbit(c[2]));
  CHECK(d.to_vector() == down);
  CHECK(e.to_vector() == up);
}
