#include "weft/kernels/fused/traits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

// Two values that are costly, and so kept between the passes over a row, whose columns are two axes, as `a`
// has no other one: (N, Lines, Columns) and (N, 1, Columns).
constexpr auto rescaled = [](auto x, auto a) {
  const auto e = exp(a);
  const auto p = x / e;
  return p * sum<1, 2>(x * x, keepdim) + p * (a * e) + exp(x - a) * sum<1, 2>(exp(x - a), keepdim);
};

// The largest error of an element, against f64 in plain loops.
template <class T, i64 N, i64 Lines, i64 Columns>
double error_of_rows() {
  auto f = compile(Cpu{1}, rescaled, in<T, N, Lines, Columns>, in<T, N, 1, Columns>);
  constexpr i64 row = Lines * Columns;
  std::vector<T> x(static_cast<std::size_t>(N * row)), a(static_cast<std::size_t>(N * Columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(std::sin(1.0 + static_cast<double>(i)));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(0.3 * static_cast<double>(i % 11));
  const auto y = f(x, a).to_vector();
  double worst = 0;
  for (i64 n = 0; n < N; ++n) {
    const auto x_of = [&](i64 i) { return static_cast<double>(x[static_cast<std::size_t>(n * row + i)]); };
    const auto a_of = [&](i64 i) {
      return static_cast<double>(a[static_cast<std::size_t>(n * Columns + i % Columns)]);
    };
    double squares = 0, shares = 0;
    for (i64 i = 0; i < row; ++i) squares += x_of(i) * x_of(i), shares += std::exp(x_of(i) - a_of(i));
    for (i64 i = 0; i < row; ++i) {
      const double e = std::exp(a_of(i)), p = x_of(i) / e,
                   wanted = p * squares + p * (a_of(i) * e) + std::exp(x_of(i) - a_of(i)) * shares;
      worst =
          std::max(worst, std::abs(static_cast<double>(y[static_cast<std::size_t>(n * row + i)]) - wanted) /
                              (1 + std::abs(wanted)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("traits: what is kept of a row of several lines lies apart, whatever a line's length") {
  CHECK(error_of_rows<f32, 2, 6, 5>() < 1e-5);
  CHECK(error_of_rows<f32, 2, 3, 16>() < 1e-5);
  CHECK(error_of_rows<f32, 3, 2, 17>() < 1e-5);
  CHECK(error_of_rows<f32, 2, 5, 1>() < 1e-5);
  CHECK(error_of_rows<f64, 2, 6, 4>() < 1e-12);
  CHECK(error_of_rows<f64, 2, 6, 7>() < 1e-12);
  CHECK(error_of_rows<f64, 3, 9, 33>() < 1e-12);
  CHECK(error_of_rows<f64, 2, 20, 65>() < 1e-12);
}
