#include "weft/kernels/gemm/parts.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace weft;
using kernels::DotPart;
using kernels::DotShape;

namespace {

// What the parts compute, in their order, with a bias where they finish; -1e9 where nothing wrote. Of the
// rows the last ones, where parts are cut off, and some of the others: a sanitizer takes minutes for all.
std::vector<double> run(const List<DotPart>& parts, const std::vector<double>& a,
                        const std::vector<double>& b, const std::vector<double>& bias, std::size_t size,
                        i64 rows) {
  std::vector<double> c(size, -1e9);
  for (const DotPart& p : parts)
    for (i64 i = 0; i < p.shape.m; ++i) {
      const i64 row = p.c / p.shape.c_row + i;
      if (row % 32 != 5 && row < rows - 9) continue;
      for (i64 j = 0; j < p.shape.n; ++j) {
        double& to = c[static_cast<std::size_t>(p.c + i * p.shape.c_row + j)];
        double sum = p.adds_to_result ? to : 0;
        for (i64 l = 0; l < p.shape.k; ++l)
          sum += a[static_cast<std::size_t>(p.a + i * p.shape.a_row + l * p.shape.a_col)] *
                 b[static_cast<std::size_t>(p.b + l * p.shape.b_row + j * p.shape.b_col)];
        to = sum + (p.finishes ? bias[static_cast<std::size_t>(p.bias + j)] : 0);
      }
    }
  return c;
}
std::vector<double> whole_numbers(i64 size, u32 seed) {  // so that every order gives the same sum
  std::mt19937 engine(seed);
  std::vector<double> v(static_cast<std::size_t>(size));
  for (double& x : v) x = static_cast<double>(engine() % 7) - 3;
  return v;
}

}  // namespace

TEST_CASE("parts: whichever extents are odd, the parts together are the product") {
  int cut = 0;
  for (const i64 m : {264, 261})
    for (const i64 n : {4096, 4099})
      for (const i64 k : {256, 259})
        for (const bool a_turned : {false, true})
          for (const bool b_turned : {false, true}) {
            const auto pitch = [](i64 x) { return (x + 7) / 8 * 8; };
            DotShape s{m, n, k, pitch(k), 1, pitch(n), 1, pitch(n)};
            if (a_turned) s.a_row = 1, s.a_col = pitch(m);
            if (b_turned) s.b_row = 1, s.b_col = pitch(k);
            const List<DotPart> parts = kernels::dot_parts(s, DType::bf16, DType::f32);
            cut += parts.size() > 1;
            // fast ones but for what is left over
            CHECK(parts[parts.size() > 1 && parts[0].shape.k < 8 ? 1 : 0].shape.n % 4 == 0);
            const auto a = whole_numbers(pitch(m) * pitch(k), 1), b = whole_numbers(pitch(k) * pitch(n), 2),
                       bias = whole_numbers(n, 3);
            List<DotPart> one;
            one.push({s});
            const auto size = static_cast<std::size_t>(m * pitch(n));
            CHECK((run(parts, a, b, bias, size, m) == run(one, a, b, bias, size, m)));
          }
  CHECK(cut > 20);
}

TEST_CASE("parts: small products, even extents and rows that begin anywhere are left as they are") {
  const auto count = [](const DotShape& s) { return kernels::dot_parts(s, DType::bf16, DType::bf16).size(); };
  CHECK(count({16384, 50257, 768, 768, 1, 1, 768, 50264}) == 2);  // logits
  CHECK(count({16384, 768, 50257, 50264, 1, 768, 1, 768}) == 2);  // their gradient's way back
  CHECK(count({50257, 768, 16384, 1, 50264, 768, 1, 768}) == 2);  // and to the weights
  CHECK(count({16384, 50257, 768, 768, 1, 1, 768, 50257}) == 1);  // rows at odd places
  CHECK(count({16384, 50264, 768, 768, 1, 1, 768, 50264}) == 1);
  CHECK(count({128, 261, 64, 64, 1, 1, 64, 264}) == 1);
}
