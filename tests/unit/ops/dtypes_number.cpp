// Arithmetic of numbers, which booleans do not have, and bits, which fractions do not have.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/math/special.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: arithmetic, on numbers") {
  check_dtypes<f64, f16, bf16, i64, i32, i8, u8>("number", [](const auto& e) {
    return std::tuple{e.x - e.y,
                      -e.x,
                      abs(e.x),
                      square(e.x),
                      relu(e.x),
                      floor(e.x),
                      ceil(e.x),
                      round(e.x),
                      trunc(e.x),
                      floor_divide(e.x, e.d),
                      remainder(e.x, e.d),
                      fmod(e.x, e.d),
                      addcmul(e.x, e.x, e.y),
                      hardtanh(e.x),
                      relu6(e.x),
                      std::get<0>(topk<2>(e.x)),
                      std::get<0>(kthvalue<2>(e.x)),
                      std::get<0>(median<1>(e.x)),
                      scatter_reduce<1>(e.d, e.i, e.d, reduce::mean),
                      -e.big - e.big};
  });
}

TEST_CASE("dtypes: bits, of integers and booleans") {
  check_dtypes<i64, i32, i8, u8, bool>("bits", [](const auto& e) {
    return std::tuple{e.x & e.y, e.x | e.y, e.x ^ e.y, ~e.x, e.x << 1, e.x >> 1};
  });
}
