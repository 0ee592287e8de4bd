#include "weft/kernels/gemm/row.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "weft/kernels/gemm/blocked.hpp"

using namespace weft;
using namespace weft::kernels;

namespace {

std::vector<f32> numbers(i64 count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<f32> draw;
  std::vector<f32> v(static_cast<std::size_t>(count) + 1);
  for (f32& x : v) x = draw(generator);
  return v;
}

}  // namespace

TEST_CASE("row: a row by itself has the bits that it has among others") {
  for (const i64 n : {1, 3, 8, 9, 16, 31, 32, 33, 64, 65, 100, 517})
    for (const i64 k : {0, 1, 3, 4, 5, 31, 128, 384, 385, 512, 1155})
      for (int terms = 0; terms < 4; ++terms) {
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(terms);
        const auto a = numbers(3 * k, 1), b = numbers(n * k, 2), bias = numbers(n, 3),
                   add = numbers(3 * n, 4);
        std::vector<f32> three(static_cast<std::size_t>(3 * n)), one(static_cast<std::size_t>(n));
        DotShape shape{3, n, k, k, 1, 1, k, n};
        const DotEpilogue<f32> ends{(terms & 1) != 0 ? bias.data() : nullptr,
                                    (terms & 2) != 0 ? add.data() : nullptr, n};
        dot_blocked<f32, f32, f32>(shape, a.data(), b.data(), three.data(), ends);
        shape.m = 1;
        dot_blocked<f32, f32, f32>(shape, a.data(), b.data(), one.data(), ends);
        CHECK(std::memcmp(one.data(), three.data(), static_cast<std::size_t>(n) * sizeof(f32)) == 0);
      }
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
TEST_CASE("row: every element is one chain of fused multiply-adds in the order of k") {
  const i64 n = 37, k = 211;
  const auto a = numbers(k, 5), b = numbers(n * k, 6);
  std::vector<f32> c(static_cast<std::size_t>(n));
  dot_row_transposed({1, n, k, k, 1, 1, k, n}, k, a.data(), b.data(), c.data(), {});
  for (std::size_t j = 0; j < c.size(); ++j) {
    f32 sum = 0;
    for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l)
      sum = std::fma(a[l], b[j * static_cast<std::size_t>(k) + l], sum);
    CHECK(c[j] == sum);
  }
}
#endif
