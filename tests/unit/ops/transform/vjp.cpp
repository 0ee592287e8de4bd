#include "weft/ops/transform/vjp.hpp"

#include "support/parity.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/reduce/scan.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/movement.hpp"

using namespace weft;
using weft::testing::check_group;
using weft::testing::test_device;

TEST_CASE("vjp, jvp: products with Jacobians agree with torch.func, of several arguments and results") {
  check_group(
      "func_products",
      [](auto a, auto b, auto ta, auto tb, auto ca, auto cb) {
        const auto h = [](auto x, auto y) { return std::tuple{sum<1>(exp(x * y)), sin(x) / (1 + y * y)}; };
        const auto [value, tangent] = jvp(h)(a, b, ta, tb);
        return std::tuple_cat(value, tangent, vjp(h)(a, b, std::tuple{ca, cb}));
      },
      in<f64, 2, 3>, in<f64, 3>, in<f64, 2, 3>, in<f64, 3>, in<f64, 2>, in<f64, 2, 3>);
}

TEST_CASE("vjp, jvp: what reaches no argument is zero, and both nest with grad") {
  auto f = compile(
      test_device(),
      [](auto x, auto t) {
        const auto half = [](auto a, auto b) { return a * a + stop_gradient(b); };
        const auto cube = [](auto z) { return sum(z * z * z); };
        const auto [of_a, of_b] = vjp(half)(x, t, x * 0 + 1);
        const auto [y, dy] = jvp([](auto z) { return stop_gradient(sum(z)); })(x, t);
        // the Hessian of sum(z^3) times t, either way round
        const auto forward = jvp(grad(cube))(x, t).second;
        const auto backward = vjp(grad(cube))(x, t);
        return std::tuple{of_a, of_b, y, dy, forward, backward};
      },
      in<f64, 3>, in<f64, 3>);
  const std::vector<double> x{1, -2, 3}, t{0.5, 4, -1};
  const auto [of_a, of_b, y, dy, forward, backward] = f(x, t);
  for (std::size_t i = 0; i < 3; ++i) {
    const i64 k = static_cast<i64>(i);
    CHECK(of_a[k] == 2 * x[i]);
    CHECK(of_b[k] == 0);
    CHECK(forward[k] == doctest::Approx(6 * x[i] * t[i]));
    CHECK(backward[k] == doctest::Approx(6 * x[i] * t[i]));
  }
  CHECK(y.item() == 2);
  CHECK(dy.item() == 0);
}

TEST_CASE("vjp, jvp: of logcumsumexp, also where an inner gradient or a cotangent is zero") {
  check_group(
      "func_running_logarithm",
      [](auto z, auto t) {
        const auto running = [](auto x) { return logcumsumexp<1>(x); };
        const auto above = [](auto x) { return sum(square(relu(logcumsumexp<1>(x) - 1))); };
        const auto tangent = jvp(running)(z, t).second;
        const auto second = jvp(grad(above))(z, t).second;
        const auto reverse = vjp(grad(above))(z, t);
        // linear in its cotangent, so that its derivative at 0 is the same function
        const auto pull = [z](auto c) { return vjp([](auto x) { return logcumsumexp<1>(x); })(z, c); };
        const auto of_cotangent = jvp(pull)(t * 0, t).second;
        return std::tuple{tangent, second, reverse, of_cotangent, pull(t * 0)};
      },
      in<f64, 2, 5>, in<f64, 2, 5>);
}

TEST_CASE("vjp, jvp: a literal argument joins the trace that the others are of") {
  auto f = compile(
      Cpu{},
      [](auto t) {
        const auto square = [](auto x) { return x * x * x; };
        const auto [y, dy] = jvp(square)(full<f64, 3>(2.0), t);
        const auto pulled = vjp([](auto a, auto b) { return a * b; })(t, full<f64, 3>(5.0), ones<f64, 3>());
        return std::tuple{y, dy, std::get<0>(pulled), std::get<1>(pulled)};
      },
      in<f64, 3>);
  const std::vector<double> t{0.5, 4, -1};
  const auto [y, dy, of_a, of_b] = f(t);
  for (std::size_t i = 0; i < 3; ++i) {
    const i64 k = static_cast<i64>(i);
    CHECK(y[k] == 8);
    CHECK(dy[k] == 12 * t[i]);
    CHECK(of_a[k] == 5);
    CHECK(of_b[k] == t[i]);
  }
}
