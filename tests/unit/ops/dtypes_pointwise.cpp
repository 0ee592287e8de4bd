// Functions of elements that keep the dtype, or answer with a boolean.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/math/logic.hpp"
#include "weft/ops/math/special.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: comparisons and arithmetic, on every dtype") {
  check_dtypes<f64, f16, bf16, i64, i32, i8, u8, bool>("compare", [](const auto& e) {
    return std::tuple{e.x == e.y,
                      e.x != e.y,
                      e.x<e.y, e.x <= e.y, e.x> e.y,
                      e.x >= e.y,
                      logical_and(e.x, e.y),
                      logical_or(e.x, e.y),
                      logical_xor(e.x, e.y),
                      isclose(e.x, e.y),
                      logical_not(e.x),
                      isnan(e.x),
                      isinf(e.x),
                      isfinite(e.x),
                      signbit(e.x),
                      isposinf(e.x),
                      isneginf(e.x),
                      e.x + e.y,
                      e.x * e.y,
                      maximum(e.x, e.y),
                      minimum(e.x, e.y),
                      fmax(e.x, e.y),
                      fmin(e.x, e.y),
                      heaviside(e.x, e.y),
                      sign(e.x),
                      nan_to_num(e.x),
                      clamp(e.x, 0, 2),
                      pow(e.x, 2),
                      e.x + 1,
                      e.x * 0.5,
                      e.x * true,
                      e.big + e.big,
                      e.big * e.d};
  });
}
