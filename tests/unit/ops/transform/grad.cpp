#include "weft/ops/transform/grad.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("grad: the gradient of a sum of squares is twice the argument") {
  auto f = compile(
      test_device(),
      [](auto x) {
        auto g = grad([](auto z) { return sum(z * z); });
        return g(x);
      },
      in<f64, 5>);
  const std::vector<double> x{1, -2, 3, 0.5, 0};
  const auto g = f(x);
  for (int i = 0; i < 5; ++i) CHECK(g[i] == 2 * x[static_cast<std::size_t>(i)]);
}

TEST_CASE("grad: nests, and derivatives of any order come out") {
  // d/dx, d2/dx2, d3/dx3 of x^4 at 3: 108, 108, 72
  auto f = compile(
      test_device(),
      [](auto x) {
        const auto fourth = [](auto z) { return z * z * z * z; };
        const auto first = grad(fourth);
        const auto second = grad(first);
        const auto third = grad(second);
        return std::tuple{first(x), second(x), third(x)};
      },
      in<f64>);
  const auto [a, b, c] = f(3.0);
  CHECK(a.item() == doctest::Approx(108));
  CHECK(b.item() == doctest::Approx(108));
  CHECK(c.item() == doctest::Approx(72));
}

TEST_CASE("grad: arguments are independent, whatever they were computed from") {
  auto f = compile(
      test_device(),
      [](auto x) {
        const auto product = [](auto a, auto b) { return sum(a * b * b); };
        const auto [value, a, b] = value_and_grad<0, 1>(product)(x, x);
        const auto held = x * 2;  // what a lambda captures is a constant to it
        return std::tuple{value, a, b, grad<0>([&](auto z) { return sum(z * held); })(x),
                          grad<1>(product)(x, x * 3)};
      },
      in<f64, 2>);
  const auto [value, a, b, c, d] = f(std::vector<double>{2, -3});
  CHECK(value.item() == 8 - 27);
  CHECK(a[0] == 4);
  CHECK(a[1] == 9);
  CHECK(b[0] == 8);
  CHECK(b[1] == 18);
  CHECK(c[0] == 4);
  CHECK(c[1] == -6);
  CHECK(d[0] == 2 * 2 * 6);
  CHECK(d[1] == 2 * -3 * -9);
}

TEST_CASE("grad: stop_gradient and unused arguments give zero") {
  auto f = compile(
      test_device(),
      [](auto x, auto y) {
        return std::tuple{grad([](auto z) { return sum(stop_gradient(z) * z); })(x),
                          grad<1>([](auto z, auto) { return sum(z); })(x, y)};
      },
      in<f64, 2>, in<f64, 3>);
  const auto [a, b] = f(std::vector<double>{2, 5}, std::vector<double>{1, 2, 3});
  CHECK(a[0] == 2);
  CHECK(a[1] == 5);
  for (int i = 0; i < 3; ++i) CHECK(b[i] == 0);
}

TEST_CASE("grad: gradients of gradients agree with finite differences") {
  const auto twice = [](auto f, auto... points) {
    return gradcheck([f](auto... v) { return grad([f](auto... z) { return sum(f(z...)); })(v...); },
                     points...);
  };
  CHECK(twice([](auto x) { return tanh(x) * exp(x); }, point<3, 4>(-1, 1)).ok());
  CHECK(twice([](auto x) { return softmax<1>(x) * softmax<1>(x); }, point<3, 4>(-1, 1)).ok());
  CHECK(twice([](auto x) { return log(x) / sqrt(x); }, point<3, 4>(0.5, 2)).ok());
  CHECK(twice([](auto x) { return gelu(x); }, point<3, 4>(-1, 1)).ok());
  CHECK(twice([](auto x, auto w) { return matmul(x, w) * matmul(x, w); }, point<3, 4>(-1, 1),
              point<4, 2>(-1, 1))
            .ok());
  CHECK(twice([](auto x, auto w) { return square(layer_norm(x, w)); }, point<3, 4>(-1, 1), point<4>(-1, 1))
            .ok(1e-6));  // fifth derivatives are large
  CHECK(twice([](auto x) { return prod<1>(x); }, point<2, 3>(0.5, 2)).ok());
}

TEST_CASE("grad: a compiled f64 program gives the gradients of the plain evaluation") {
  auto f = compile(
      test_device(),
      [](auto x, auto w) {
        return grad<0, 1>([](auto a, auto b) { return sum(log_softmax<1>(layer_norm(a, b)) * tanh(a)); })(x,
                                                                                                          w);
      },
      in<f64, 5, 17>, in<f64, 17>);
  const auto x = point<5, 17>(-2, 2, 1);
  const auto w = point<17>(-2, 2, 2);
  const auto [gx, gw] = f(x.values, w.values);
  const auto loss = [&](const Array& xs, const Array& ws) {
    double total = 0;
    for (int r = 0; r < 5; ++r) {
      double mean = 0, variance = 0, sum = 0, y[17];
      for (int c = 0; c < 17; ++c) mean += xs[static_cast<std::size_t>(17 * r + c)] / 17;
      for (int c = 0; c < 17; ++c)
        variance += std::pow(xs[static_cast<std::size_t>(17 * r + c)] - mean, 2) / 17;
      for (int c = 0; c < 17; ++c) {
        y[c] = (xs[static_cast<std::size_t>(17 * r + c)] - mean) / std::sqrt(variance + 1e-5) *
               ws[static_cast<std::size_t>(c)];
        sum += std::exp(y[c]);
      }
      for (int c = 0; c < 17; ++c)
        total += (y[c] - std::log(sum)) * std::tanh(xs[static_cast<std::size_t>(17 * r + c)]);
    }
    return total;
  };
  for (std::size_t k = 0; k < 85; k += 7) {
    Array up = x.values, down = x.values;
    up[k] += 1e-5, down[k] -= 1e-5;
    CHECK(gx[static_cast<i64>(k)] ==
          doctest::Approx((loss(up, w.values) - loss(down, w.values)) / 2e-5).epsilon(1e-7));
  }
  for (std::size_t k = 0; k < 17; k += 4) {
    Array up = w.values, down = w.values;
    up[k] += 1e-5, down[k] -= 1e-5;
    CHECK(gw[static_cast<i64>(k)] ==
          doctest::Approx((loss(x.values, up) - loss(x.values, down)) / 2e-5).epsilon(1e-7));
  }
}
