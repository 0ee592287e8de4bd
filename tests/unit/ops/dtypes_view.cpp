// What moves elements and computes nothing, on every dtype.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/index.hpp"
#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/products.hpp"
#include "weft/ops/math/logic.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"
#include "weft/ops/shape/triangular.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: views and rearrangements, on every dtype") {
  check_dtypes<f64, f16, bf16, i64, i32, i8, u8, bool>("view", [](const auto& e) {
    return std::tuple{cat<0>(e.x, e.y),          stack<0>(e.x, e.y), reshape<3, 4>(e.x), permute<1, 0>(e.x),
                      expand<2, 2, 6>(e.x),      repeat<2, 1>(e.x),  flip<1>(e.x),       roll<2, 1>(e.x),
                      slice<1, 1, 6, 2>(e.x),    pad<1, 2>(e.x, 1),  tril(e.m()),        diagonal(e.m()),
                      diag(e.template row<0>()), unfold<1, 3>(e.x),  ones_like(e.x),     full_like(e.x, 1)};
  });
}
