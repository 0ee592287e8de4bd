// Integrals, differences and histograms: trapezoid.hpp, histogram.hpp.

#include "weft/ops/reduce/trapezoid.hpp"

#include "support/traced_parity.hpp"
#include "weft/ops/reduce/histogram.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("trapezoid: as PyTorch") {
  check_traced<2>(
      "functions/trapezoid",
      [](auto a, auto p, auto q) {
        return std::tuple{trapezoid(a),
                          trapezoid(a, 0.5),
                          trapezoid(a, p),
                          trapezoid(a, q),
                          trapezoid<0>(a, slice<0, 0, 3>(p)),
                          trapezoid(select<0, 0>(a), p),
                          trapezoid<0>(a, q),
                          cumulative_trapezoid(a),
                          cumulative_trapezoid<1>(a, p),
                          cumulative_trapezoid<0>(a, 2.0),
                          cumulative_trapezoid(a, q),
                          trapezoid(slice<1, 0, 1>(a))};
      },
      in<f64, 3, 5>, in<f64, 5>, in<f64, 3, 5>);
}

TEST_CASE("gradient: differences along each axis, as PyTorch") {
  check_traced(
      "functions/gradient",
      [](auto a, auto p) {
        return std::tuple_cat(gradient(a), gradient(a, 0.5), gradient<1>(a, 2.0, edge_order<2>),
                              gradient(a, slice<0, 0, 3>(p), p), gradient<1>(a, p, edge_order<2>),
                              gradient(a, 0.5, 2.0, edge_order<2>), gradient<1>(slice<1, 0, 2>(a)),
                              gradient(p, p * p + p, edge_order<2>));
      },
      in<f64, 3, 5>, in<f64, 5>);
}

TEST_CASE("histogram: as PyTorch") {
  check_traced<0>(
      "functions/histogram",
      [](auto a, auto w, auto e) {
        return std::tuple_cat(histogram<5>(a), histogram<4>(a, -1.0, 1.5), histogram<4>(a, -1.0, 1.5, w),
                              histogram(a, e), histogram<0, true>(a, e, w), histogram<3, true>(a),
                              histogram<2>(a, 0.5, 0.5), histogram<2>(slice<0, 0, 0>(a)),
                              histogram<4>(full_like(a, 0.7)));
      },
      in<f64, 4, 6>, in<f64, 4, 6>, in<f64, 4>);
}
