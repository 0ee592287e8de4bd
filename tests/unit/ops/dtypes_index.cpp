// What reads and writes by index, on every dtype.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/index.hpp"
#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/math/logic.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: indexing, on every dtype") {
  check_dtypes<f64, f16, bf16, i64, i32, i8, u8, bool>("index", [](const auto& e) {
    const auto first = select<0, 0>(e.i);
    return std::tuple{gather<1>(e.x, e.i),
                      index_select<1>(e.x, first),
                      take(e.x, e.i),
                      index(e.x, at<1>, first),
                      index_put(e.x, e.y, every, e.j),
                      scatter<1>(e.x, e.p, e.y),
                      scatter_add<1>(e.x, e.i, e.y),
                      index_add<1>(e.x, e.j, e.y),
                      index_copy<1>(e.x, e.j, e.y),
                      index_fill<1>(e.x, first, 1),
                      scatter_reduce<1>(e.x, e.i, e.y, reduce::amax),
                      scatter_reduce<1>(e.x, e.i, e.y, reduce::prod),
                      where(e.b, e.x, e.y),
                      masked_fill(e.x, e.b, 1),
                      std::get<0>(masked_select<12>(e.x, e.b)),
                      std::get<1>(nonzero<12>(e.x)),
                      std::get<0>(unique<12>(e.x))};
  });
}
