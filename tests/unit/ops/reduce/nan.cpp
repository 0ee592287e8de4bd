#include "weft/ops/reduce/nan.hpp"

#include "support/parity.hpp"
#include "weft/ops/shape/concat.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("reduce: skipping NaN, several statistics, whole tensors") {
  check_group(
      "reduce_nan",
      [](auto h, auto q) {
        const auto [least, most] = aminmax<2>(q);
        const auto [variance, mean2] = var_mean<0, 2>(q);
        const auto [deviation, mean] = std_mean(q);
        return std::tuple{nansum<1>(h),
                          nansum(slice<0, 0, 1>(h)),
                          nanmean<1>(h),
                          nanmean<0>(h, keepdim),
                          stack<0>(least, most),
                          stack<0>(variance, mean2),
                          stack<0>(deviation, mean),
                          var<2>(q, correction<2>),
                          stddev<3>(q, correction<0>),
                          dist(q, q * 0.5),
                          dist(select<0, 0>(q), select<0, 1>(q), order<1>),
                          equal(q, q),
                          equal(q, q + 1),
                          allclose(q, q + 1e-7),
                          allclose(q, q + 1e-2)};
      },
      in<f32, 3, 3>, in<f32, 3, 1, 7, 5>);
}
