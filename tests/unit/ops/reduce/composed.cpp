#include "weft/ops/reduce/composed.hpp"

#include "support/parity.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("reduce: variance, norms and logsumexp") {
  check_group(
      "reduce_spread",
      [](auto q, auto rows) {
        return std::tuple{var<3>(q),
                          var<0, 2>(q),
                          var<2>(q, biased),
                          var(q),
                          stddev<0>(q),
                          stddev<3>(q, keepdim),
                          logsumexp<3>(q),
                          logsumexp<0, 2>(q),
                          logsumexp<1>(rows, keepdim),
                          norm<2>(q),
                          norm(q),
                          norm<3>(q, order<1>),
                          norm<0, 3>(q, order<3>),
                          norm<2>(q, order_infinity),
                          norm<2>(relu(q), order<0>)};
      },
      in<f32, 3, 1, 7, 5>, in<f32, 2, 131>);
}
