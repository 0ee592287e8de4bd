#include "weft/nn/gradient.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "support/device.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::test_device, weft::testing::TestDevice;

namespace {

struct Net {
  nn::Linear<3, 5, true, f64> fc1;
  std::array<nn::Linear<5, 5, true, f64>, 2> h;
  nn::Sequential<nn::Linear<5, 4, true, f64>, nn::Tanh> tail;
  nn::Frozen<nn::Linear<4, 2, true, f64>> fc2;
  nn::Param<f64, Shape<2>, nn::init::Ones> unused;
  constexpr auto operator()(auto x) const { return fc2(tail(h[1](tanh(h[0](tanh(fc1(x))))))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };

const std::vector<f64> x{1, -2, 0.5, 0.3, 0.7, -1}, y{1, 0, -1, 2};

}  // namespace

TEST_CASE("gradient: of all parameters of a model, against finite differences") {
  Model<Net, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto a, auto b) {
        const auto [value, g] = value_and_grad(loss)(m, a, b);
        return std::tuple{value, nn::parameters_to_vector(g), g.h[1].weight, g.fc2.inner.weight, g.unused};
      },
      in<f64, 2, 3>, in<f64, 2, 2>);
  auto value = compile(model, loss, in<f64, 2, 3>, in<f64, 2, 2>);
  const auto [at, flat, inner, frozen, unused] = f(x, y);
  CHECK(at.item() == value(x, y).item());
  for (const f64 v : frozen) CHECK(v == 0);
  for (const f64 v : unused) CHECK(v == 0);
  i64 k = 0;
  const auto hold = [&](auto parameter) {
    for (i64 i = 0; i < parameter.size(); ++i, ++k) {
      const f64 old = parameter[i], step = 1e-5;
      parameter[i] = old + step;
      const f64 up = value(x, y).item();
      parameter[i] = old - step;
      const f64 down = value(x, y).item();
      parameter[i] = old;
      CHECK(flat[k] == doctest::Approx((up - down) / (2 * step)).epsilon(1e-6));
    }
  };
  hold(model.get<"fc1.weight">());
  hold(model.get<"fc1.bias">());
  hold(model.get<"h.0.weight">());
  hold(model.get<"h.0.bias">());
  const i64 begin = k;
  hold(model.get<"h.1.weight">());
  for (i64 i = 0; i < 25; ++i) CHECK(inner[i] == flat[begin + i]);
  hold(model.get<"h.1.bias">());
  hold(model.get<"tail.0.weight">());
  hold(model.get<"tail.0.bias">());
  CHECK(flat.size() == k + 2);
}

TEST_CASE("gradient: of a gradient, beside an input's, and of one module") {
  Model<Net, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto a, auto b) {
        const auto [gx, gm] = grad<1, 0>(loss)(m, a, b);
        // how the gradient's norm changes with one layer's parameters: a second derivative
        const auto norm_of = [&](const auto& layer) {
          auto own = m;
          own.fc1 = layer;
          return sum<>(square(grad<1>(loss)(own, a, b)));
        };
        const auto twice = grad(norm_of)(m.fc1);
        return std::tuple{gx, gm.fc1.bias, norm_of(m.fc1), twice.bias};
      },
      in<f64, 2, 3>, in<f64, 2, 2>);
  const auto [gx, bias, norm, twice] = f(x, y);
  auto plain = compile(
      model, [](const auto& m, auto a, auto b) { return grad<1>(loss)(m, a, b); }, in<f64, 2, 3>,
      in<f64, 2, 2>);
  CHECK(gx.to_vector() == plain(x, y).to_vector());
  auto b = model.get<"fc1.bias">();
  for (i64 i = 0; i < 5; ++i) {
    const f64 old = b[i], step = 1e-5;
    b[i] = old + step;
    const f64 up = std::get<2>(f(x, y)).item();
    b[i] = old - step;
    const f64 down = std::get<2>(f(x, y)).item();
    b[i] = old;
    CHECK(twice[i] == doctest::Approx((up - down) / (2 * step)).epsilon(1e-5));
  }
}

TEST_CASE("gradient: one use of a module in evaluation mode, and in training mode") {
  struct Dropped {
    nn::Dropout drop{.p = 0.5f};
    nn::BatchNorm1d<4> norm;
  };
  auto trained = compile<Dropped>(
      test_device(),
      [](const auto& m, auto v) {
        return std::tuple{nn::eval(m.drop)(v), m.drop(v), nn::eval(m.norm)(v)};
      },
      in<f32, 64, 4>, mode::train, seed{1});
  const std::vector<f32> ones(256, 1.0f);
  const auto [kept, dropped, normed] = trained(ones);
  CHECK(kept.to_vector() == ones);
  CHECK(dropped.to_vector() != ones);
  CHECK(normed[0] ==
        doctest::Approx(1.0f).epsilon(1e-4));  // by the running statistics, which start at 0 and 1
  CHECK(trained.model().get<"norm.running_mean">()[0] == 0.0f);
  auto evaluated = compile<Dropped>(
      test_device(), [](const auto& m, auto v) { return nn::train(m.drop)(v); }, in<f32, 64, 4>, seed{1});
  CHECK(evaluated(ones).to_vector() != ones);
}
