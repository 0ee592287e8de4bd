// The code of docs/gradients.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

TEST_CASE("gradients: several arguments, constants, and gradients of gradients") {
  // [grad]
  auto derive = compile(
      Cpu{},
      [](auto w, auto x, auto v) {
        const auto loss = [](auto weight, auto input) { return sum(square(tanh(matmul(input, weight)))); };
        auto [value, dw, dx] = value_and_grad<0, 1>(loss)(w, x);  // by the arguments 0 and 1
        // what a lambda captures is a constant to it
        auto by_weight = grad([x, loss](auto weight) { return loss(weight, x); });
        // the Hessian times v, without the Hessian: the gradient of the gradient's product with v
        auto hv = grad([&](auto weight) { return sum(by_weight(weight) * v); })(w);
        return std::tuple{value, dw, dx, hv};
      },
      in<f64, 3>, in<f64, 2, 3>, in<f64, 3>);
  // [/grad]
  const std::vector<f64> w{0.3, -0.2, 0.5}, x{1, 2, -1, 0.5, -1, 2}, v{1, -1, 0.5};
  const auto at = [&](f64 step) {
    std::vector<f64> moved = w;
    for (std::size_t i = 0; i < 3; ++i) moved[i] += step * v[i];
    auto [value, dw, dx, hv] = derive(moved, x, v);
    return std::tuple{value.item(), dw.to_vector(), hv.to_vector()};
  };
  const auto [value, dw, hv] = at(0);
  const auto [up, dw_up, hv_up] = at(1e-5);
  const auto [down, dw_down, hv_down] = at(-1e-5);
  f64 slope = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    slope += dw[i] * v[i];
    CHECK(hv[i] == doctest::Approx((dw_up[i] - dw_down[i]) / 2e-5).epsilon(1e-7));
  }
  CHECK(slope == doctest::Approx((up - down) / 2e-5).epsilon(1e-7));
}

TEST_CASE("gradients: a gradient checked by differences in f64") {
  // [check]
  auto mine = [](auto x) { return logsumexp<>(x * x - softplus(x)); };  // the function in question
  auto value = compile(Cpu{}, mine, in<f64, 5>);
  auto slope = compile(
      Cpu{}, [](auto x) { return grad(decltype(mine){})(x); }, in<f64, 5>);
  std::vector<f64> x{-1, 0.5, 2, 0.1, -0.3};
  const std::vector<f64> gradient = slope(x).to_vector();
  f64 worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const f64 at = x[i], step = 1e-5;
    x[i] = at + step;
    const f64 up = value(x).item();
    x[i] = at - step;
    const f64 down = value(x).item();
    x[i] = at;
    worst = std::max(worst, std::abs(gradient[i] - (up - down) / (2 * step)));
  }
  // [/check]
  CHECK(worst < 1e-9);
  CHECK(std::abs(gradient[2]) > 0.1);
}

namespace {

// [frozen]
struct FineTuned {
  nn::Frozen<nn::Linear<4, 8>> body;  // saved, not trained: requires_grad_(False)
  nn::Linear<8, 2> head;
  constexpr auto operator()(auto x) const { return head(relu(body(x))); }
};
// [/frozen]

// [stop]
struct TwoHeads {
  nn::Linear<4, 8> body;
  nn::Linear<8, 2> main;
  nn::Linear<8, 1> critic;
  constexpr auto operator()(auto x) const {
    const auto features = tanh(body(x));
    return std::tuple{main(features), critic(stop_gradient(features))};  // features.detach()
  }
};
// [/stop]

}  // namespace

TEST_CASE("gradients: frozen parameters and accumulation") {
  // [accumulate]
  auto trainer = make_trainer<FineTuned>(
      Cpu{}, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 8, 4>,
      in<f32, 8, 2>, optim::SGD{.lr = 0.1f}, accumulate<4>);  // four batches of 8, then one update
  // [/accumulate]
  std::vector<f32> x(32), y(16, 1.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1f * static_cast<f32>(i % 7) - 0.3f;
  const auto body = trainer.model().get<"body.weight">().to_vector();
  auto head = trainer.model().get<"head.weight">().to_vector();
  for (int batch = 1; batch <= 8; ++batch) {
    trainer.step(x, y);
    const auto now = trainer.model().get<"head.weight">().to_vector();
    CHECK((now != head) == (batch % 4 == 0));
    head = now;
  }
  CHECK(trainer.model().get<"body.weight">().to_vector() == body);
}

TEST_CASE("gradients: of a model's parameters") {
  // [model]
  Model<TwoHeads> model;
  auto gradients = compile(
      model,
      [](const auto& m, auto x, auto y) {
        const auto loss = [](const auto& net, auto in, auto target) {
          return mse_loss(std::get<0>(net(in)), target);
        };
        const auto [value, g] = value_and_grad(loss)(m, x, y);  // g: a model of gradients
        return std::tuple{value, g.main.weight, norm<>(nn::parameters_to_vector(g))};
      },
      in<f32, 8, 4>, in<f32, 8, 2>);
  const std::vector<f32> x(32, 0.5f), y(16, 1.0f);
  const auto [value, main_weight, length] = gradients(x, y);
  // [/model]
  CHECK(value.item() > 0);
  CHECK(main_weight.to_vector().size() == 16);
  CHECK(length.item() > 0);
}

TEST_CASE("gradients: a loss behind a step of its own") {
  // [inner]
  // MAML: the loss on one batch behind a step on another; the trainer differentiates through that step
  auto trainer = make_trainer<FineTuned>(
      Cpu{},
      [](const auto& m, auto x, auto y, auto x2, auto y2) {
        const auto loss = [](const auto& net, auto in, auto target) { return mse_loss(net(in), target); };
        const auto g = grad(loss)(m, x, y);
        const auto fast = nn::map_parameters([](auto p, auto dp) { return p - 0.1f * dp; }, m, g);
        return loss(fast, x2, y2);
      },
      in<f32, 8, 4>, in<f32, 8, 2>, in<f32, 8, 4>, in<f32, 8, 2>, optim::Adam{.lr = 1e-3f});
  // [/inner]
  const std::vector<f32> x(32, 0.5f), y(16, 1.0f);
  const f32 first = trainer.step(x, y, x, y);
  f32 last = first;
  for (int i = 0; i < 20; ++i) last = trainer.step(x, y, x, y);
  CHECK(last < first);
}

TEST_CASE("gradients: another gradient than the loss's") {
  // [sam]
  // Sharpness-aware minimisation: the update is by the gradient at a neighbouring point
  auto trainer = make_trainer<FineTuned>(
      Cpu{},
      [](const auto& m, auto x, auto y) {
        const auto loss = [](const auto& net, auto in, auto target) { return mse_loss(net(in), target); };
        const auto [value, g] = value_and_grad(loss)(m, x, y);
        const auto step = 0.05f / norm<>(nn::parameters_to_vector(g));
        const auto near = nn::map_parameters([=](auto p, auto dp) { return p + step * dp; }, m, g);
        const auto wanted = stop_gradient(nn::parameters_to_vector(grad(loss)(near, x, y)));
        const auto line = sum(nn::parameters_to_vector(m) * wanted);  // its gradient is `wanted`
        return stop_gradient(value - line) + line;
      },
      in<f32, 8, 4>, in<f32, 8, 2>, optim::SGD{.lr = 0.1f}, seed{1});
  // [/sam]
  const std::vector<f32> x(32, 0.5f), y(16, 1.0f);
  // by hand: the gradient of the same loss at the same point
  auto by_hand = compile(
      trainer.model(),
      [](const auto& m, auto in, auto target) {
        const auto loss = [](const auto& net, auto a, auto b) { return mse_loss(net(a), b); };
        const auto [value, g] = value_and_grad(loss)(m, in, target);
        const auto v = nn::parameters_to_vector(g);
        const auto near = nn::vector_to_parameters(nn::parameters_to_vector(m) + v * (0.05f / norm<>(v)), m);
        return std::tuple{value, nn::parameters_to_vector(m),
                          nn::parameters_to_vector(grad(loss)(near, in, target))};
      },
      in<f32, 8, 4>, in<f32, 8, 2>);
  const auto [value, before, wanted] = by_hand(x, y);
  const std::vector<f32> old = before.to_vector(), change = wanted.to_vector();
  CHECK(static_cast<f32>(trainer.step(x, y)) == doctest::Approx(value.item()));
  const auto after = std::get<1>(by_hand(x, y)).to_vector();
  for (std::size_t i = 0; i < after.size(); ++i)
    CHECK(after[i] == doctest::Approx(old[i] - 0.1f * change[i]).epsilon(1e-5));
}

TEST_CASE("gradients: what is stopped does not train what it was computed from") {
  auto trainer = make_trainer<TwoHeads>(
      Cpu{},
      [](const auto& model, auto x, auto y) {
        auto [wanted, opinion] = model(x);
        return sum(wanted) * 0.0f + mse_loss(opinion, y);
      },
      in<f32, 8, 4>, in<f32, 8, 1>, optim::SGD{.lr = 0.1f});
  const auto body = trainer.model().get<"body.weight">().to_vector();
  const auto critic = trainer.model().get<"critic.weight">().to_vector();
  trainer.step(std::vector<f32>(32, 0.5f), std::vector<f32>(8, 1.0f));
  CHECK(trainer.model().get<"body.weight">().to_vector() == body);
  CHECK(trainer.model().get<"critic.weight">().to_vector() != critic);
}
