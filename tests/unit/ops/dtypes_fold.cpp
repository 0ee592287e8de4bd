// Reductions, running folds and order, on every dtype.

#include "unit/ops/dtypes.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/reduce/composed.hpp"
#include "weft/ops/reduce/nan.hpp"
#include "weft/ops/reduce/scan.hpp"

using namespace dtype_test;

TEST_CASE("dtypes: reductions, running folds and order, on every dtype") {
  check_dtypes<f64, f16, bf16, i64, i32, i8, u8, bool>("fold", [](const auto& e) {
    return std::tuple{sum<1>(e.x),
                      prod<1>(e.d),
                      amax<1>(e.x),
                      amin<1>(e.x),
                      any<1>(e.x),
                      all<1>(e.x),
                      count_nonzero<1>(e.x),
                      nansum<1>(e.x),
                      logsumexp<1>(e.x),
                      mean<1>(e.x),
                      argmax<1>(e.x),
                      cumsum<1>(e.x),
                      cumprod<1>(e.d),
                      std::get<0>(cummax<1>(e.x)),
                      std::get<1>(cummin<1>(e.x)),
                      diff<1>(e.x),
                      std::get<0>(sort(e.x)),
                      argsort(e.x, descending)};
  });
}
