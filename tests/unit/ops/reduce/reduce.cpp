#include "support/parity.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/composed.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("reduce: sums over every kind of axis and of views") {
  check_group(
      "reduce_sum",
      [](auto q) {
        return std::tuple{sum(q),
                          sum<-1>(q),
                          sum<0>(q),
                          sum<2>(q),
                          sum<0, 3>(q),
                          sum<1>(q),
                          sum<2>(q, keepdim),
                          sum<0>(permute<3, 0, 2, 1>(q)),
                          sum<-1>(permute<0, 3, 1, 2>(q)),
                          sum<2, 3>(slice<2, 1, to_end, 2>(q)),
                          sum<1, 2>(expand<3, 4, 7, 5>(q)),
                          sum<2>(flip<2>(q) * q),
                          mean<1, 2>(q),
                          mean(q),
                          sum<3>(softmax<2>(q))};
      },
      in<f32, 3, 1, 7, 5>);
}
TEST_CASE("reduce: extrema, products, positions and truth") {
  check_group(
      "reduce_order",
      [](auto q) {
        return std::tuple{
            amax<3>(q), max<0>(q),         amin<0, 2>(q),    max(q),       min(q),
            prod<2>(q), prod(q * 0.1 + 1), argmax<-1>(q),    argmax<0>(q), argmax<2>(q, keepdim),
            argmin(q),  any<3>(q > 1.5),   all<2>(q > -1.5), any(q > 9),   count_nonzero<2>(q > 0)};
      },
      in<f32, 3, 1, 7, 5>);
}
TEST_CASE("reduce: infinities and NaN") {
  check_group(
      "reduce_special",
      [](auto x) {
        return std::tuple{sum<1>(x),    amax<1>(x),      amin<1>(x), argmax<1>(x),
                          argmin<1>(x), logsumexp<1>(x), prod<1>(x), amax<0>(x)};
      },
      in<f32, 4, 3>);
}
