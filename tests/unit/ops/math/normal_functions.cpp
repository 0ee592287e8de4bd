#include "weft/ops/math/normal_functions.hpp"

#include "support/traced_parity.hpp"
#include "weft/ops/shape/slicing.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
template <i64 N, class F>
void check_function(const std::string& name, const F& f) {
  check_traced(name, f, in<f64, N>);
  check_traced<2>(name + "_second", f, in<f64, (N < 11 ? N : 11)>);
  check_traced<0>(name + "_ends", f, in<f64, 7>);
}
}  // namespace

TEST_CASE("normal functions: values, gradients and ends, as PyTorch") {
  check_function<20>("functions/ndtr", [](auto x) { return ndtr(x); });
  check_function<20>("functions/log_ndtr", [](auto x) { return log_ndtr(x); });
  check_function<18>("functions/erfcx", [](auto x) { return erfcx(x); });
  check_function<11>("functions/ndtri", [](auto x) { return ndtri(x); });
  check_function<5>("functions/entr", [](auto x) { return entr(x); });
  check_traced(
      "functions/entr_gradient", [](auto x) { return entr(x); }, in<f64, 4>);
}

TEST_CASE("normal functions: accurate far out") {
  // mpmath: erfcx(30) = 0.018795888861416751, ndtr(-20) = 2.7536241186062337e-89, ndtri(1e-200) =
  // -30.205594...
  ir::Builder b;
  const Expr<f64, Shape<>> place{ir::Value{&b, b.leaf(ir::Op::input, DType::f64, Dims{}, 0)}};
  b.graph.inputs.push(place.value.id);
  const auto of = [&](const auto& e, double x) {
    ir::Graph g = b.graph;
    g.outputs.push(e.value.id);
    Leaves leaves;
    leaves.inputs = {{x}};
    return interpret(g, leaves)[0][0];
  };
  CHECK(of(erfcx(place), 30) == doctest::Approx(0.018795888861416751).epsilon(1e-13));
  CHECK(of(ndtr(place), -20) == doctest::Approx(2.7536241186062337e-89).epsilon(1e-12));
  CHECK(of(log_ndtr(place), -1e8) == doctest::Approx(-5.0000000000000193e15).epsilon(1e-13));
  CHECK(of(ndtri(place), 1e-200) == doctest::Approx(-30.205594).epsilon(1e-6));
}
