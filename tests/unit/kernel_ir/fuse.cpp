#include "weft/kernel_ir/fuse.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>
#include <weft/weft.hpp>

using namespace weft;

TEST_CASE("a product adds a sum of biases to its own sums; such sums are one kernel before everything else") {
  auto f = compile(
      Cpu{},
      [](auto x, auto v, auto w, auto a, auto b, auto c) {
        return linear(tanh(linear(x, v, a + b)), w, a * c);
      },
      in<f32, 64, 8>, in<f32, 24, 8>, in<f32, 24, 24>, in<f32, 24>, in<f32, 24>, in<f32, 24>);
  CHECK(decltype(f)::launches() == 4);  // both sums of biases, a product, tanh, a product
  const auto numbers = [](std::size_t n, int seed) {
    std::vector<f32> r(n);
    for (std::size_t i = 0; i < n; ++i)
      r[i] = static_cast<f32>((static_cast<int>(i) * 37 + seed * 11) % 41 - 20) / 64;
    return r;
  };
  const auto x = numbers(64 * 8, 1), v = numbers(24 * 8, 2), w = numbers(24 * 24, 3), a = numbers(24, 4),
             b = numbers(24, 5), c = numbers(24, 6);
  const auto y = f(x, v, w, a, b, c);
  double wrong = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    double hidden[24];
    for (std::size_t j = 0; j < 24; ++j) {
      double sum = a[j] + b[j];
      for (std::size_t k = 0; k < 8; ++k)
        sum += static_cast<double>(x[i * 8 + k]) * static_cast<double>(v[j * 8 + k]);
      hidden[j] = std::tanh(sum);
    }
    for (std::size_t j = 0; j < 24; ++j) {
      double sum = static_cast<double>(a[j]) * static_cast<double>(c[j]);
      for (std::size_t k = 0; k < 24; ++k) sum += hidden[k] * static_cast<double>(w[j * 24 + k]);
      wrong = std::fmax(wrong, std::fabs(sum - static_cast<double>(y.data()[i * 24 + j])));
    }
  }
  CHECK(wrong < 1e-5);
}
