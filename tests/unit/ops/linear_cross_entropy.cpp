#include "weft/ops/linear_cross_entropy.hpp"

#include "support/traced_parity.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("linear_cross_entropy: as PyTorch") {
  check_traced<2>(
      "functions/linear_cross_entropy",
      [](auto x, auto w, auto b, auto y, auto c, auto d, auto e, auto s, auto soft) {
        const auto none = where(lt(y, 0), 0, y);
        return std::tuple{
            linear_cross_entropy(x, w, y),
            linear_cross_entropy(x, w, y, b),
            linear_cross_entropy(x, w, y, b, stop_gradient(c)),
            linear_cross_entropy<reduction::sum>(x, w, y, b, {.label_smoothing = 0.1}),
            linear_cross_entropy(x, w, none, {.ignore_index = 0}),
            linear_cross_entropy<reduction::none>(x, w, y, b),
            linear_cross_entropy(x, d, s, e),
            linear_cross_entropy(x, d, s),
            linear_cross_entropy(x, w, stop_gradient(soft), b),
            linear_cross_entropy(select<0, 0>(x), w, select<0, 0>(y)),
        };
      },
      in<f64, 4, 3>, in<f64, 5, 3>, in<f64, 5>, in<i64, 4>, in<f64, 5>, in<f64, 5, 2, 3>, in<f64, 5, 2>,
      in<i64, 4, 2>, in<f64, 4, 5>);
}
