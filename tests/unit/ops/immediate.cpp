#include "weft/exec/immediate.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "weft/ops.hpp"

using namespace weft;  // beside the C library's names

TEST_CASE("immediate: composed operations take run-time numbers and literals") {
  Tensor<f32, Shape<2, 3>> a{-2, -1, 0, 1, 2, 3}, b = Tensor<f32, Shape<2, 3>>::full(2);
  float low = -1, high = 2;
  Tensor<f32, Shape<2, 3>> y = clamp(a, low, high);
  CHECK(y.to_vector() == std::vector<float>{-1, -1, 0, 1, 2, 2});
  y = masked_fill(a, a < 0, high) + zeros_like(a);
  CHECK(y.to_vector() == std::vector<float>{2, 2, 0, 1, 2, 3});
  Tensor<f32, Shape<4, 3>> joined = cat<0>(a, b * low);
  CHECK(joined.to_vector() == std::vector<float>{-2, -1, 0, 1, 2, 3, -2, -2, -2, -2, -2, -2});
  Tensor<f32, Shape<2, 5>> framed = pad<1, 1>(a, high);
  CHECK(framed.to_vector() == std::vector<float>{2, -2, -1, 0, 2, 2, 1, 2, 3, 2});
  Tensor<f32, Shape<2, 3>> filled = full<f32, 2, 3>(high) + t(t(a)) * 0;
  CHECK(filled.to_vector() == std::vector<float>(6, 2.0f));
  Tensor<f32, Shape<2, 3>> rows = layer_norm(a);
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c) CHECK(rows(r, c) == doctest::Approx((c - 1) / std::sqrt(2.0 / 3 + 1e-5)));
  Tensor<f32, Shape<2, 3>> soft = softplus(a, high);
  for (int i = 0; i < 6; ++i) CHECK(soft[i] == doctest::Approx(std::log1p(std::exp(2.0 * a[i])) / 2));
}

TEST_CASE("immediate: random integers lie in their range, and all of it is reached") {
  auto f = compile(
      Cpu{}, [](auto x) { return randint<i64, 4000>(-3, 5) + cast<i64>(x) * 0; }, in<f32, 1>);
  const auto r = f(std::vector<float>{1});
  int count[8]{};
  for (int i = 0; i < 4000; ++i) {
    REQUIRE(r[i] >= -3);
    REQUIRE(r[i] < 5);
    ++count[r[i] + 3];
  }
  // 500 of each are expected, with a standard deviation of 21
  for (int c : count) CHECK(std::abs(c - 500) < 130);
}

TEST_CASE("immediate: rand_like and randn_like have the moments of their distributions") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{rand_like(x), randn_like(x)};
      },
      in<f32, 20000>);
  const auto [u, n] = f(std::vector<float>(20000, 0.0f));
  double mean = 0, mean_n = 0, square_n = 0;
  for (int i = 0; i < 20000; ++i) {
    CHECK((u[i] >= 0 && u[i] < 1));
    mean += static_cast<double>(u[i]) / 20000;
    mean_n += static_cast<double>(n[i]) / 20000;
    square_n += static_cast<double>(n[i]) * static_cast<double>(n[i]) / 20000;
  }
  CHECK(std::abs(mean - 0.5) < 0.01);  // five standard deviations of the mean
  CHECK(std::abs(mean_n) < 0.036);
  CHECK(std::abs(square_n - 1) < 0.05);
}

// Of a traced value such a number is a constant, of a run-time tensor one more input: the values are the
// same.
TEST_CASE("immediate: functions that compute with their numbers alone") {
  const Tensor<f32, Shape<4>> reals{-1, 0.5f, 2, 0.25f};
  const Tensor<i64, Shape<4>> wholes{1, 2, 3, 8};
  const auto same = [](const auto& made, const auto& traced, const auto& given) {
    auto f = compile(Cpu{}, traced, in<typename std::remove_cvref_t<decltype(given)>::dtype, 4>);
    const auto expected = f(given);
    for (i64 i = 0; i < 4; ++i)
      CHECK(static_cast<double>(made[i]) == doctest::Approx(static_cast<double>(expected[i])).epsilon(1e-6));
  };
#define WEFT_SAME(given, v, expression)                                                             \
  {                                                                                                 \
    const auto f = [](const auto& v) { return expression; };                                        \
    const std::remove_const_t<decltype(given)> made = f(given);                                     \
    same(                                                                                           \
        made, [](auto traced) { return [](const auto& v) { return expression; }(traced); }, given); \
  }
  WEFT_SAME(reals, x, fmax(x, 0.3f))
  WEFT_SAME(reals, x, fmin(1, x))
  WEFT_SAME(reals, x, ldexp(x, 3))
  WEFT_SAME(reals, x, lerp(x, x * x, 0.25f))
  WEFT_SAME(reals, x, logit(sigmoid(x), 1e-6f))
  WEFT_SAME(reals, x, copysign(x, -1.0f))
  WEFT_SAME(reals, x, hypot(x, 2))
  WEFT_SAME(reals, x, logaddexp(x, 0.5f))
  WEFT_SAME(reals, x, softshrink(x, 0.3f))
  WEFT_SAME(reals, x, huber_loss<reduction::none>(x, x * x, 0.5f))
  WEFT_SAME(wholes, k, k << 2)
  WEFT_SAME(wholes, k, bitwise_right_shift(k, 1))
#undef WEFT_SAME
}
