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
