#include "weft/nn/map_parameters.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::test_device, weft::testing::TestDevice;

namespace {

struct Block {
  nn::Linear<5, 5, true, f64> fc;
  constexpr auto operator()(auto x) const { return tanh(fc(x)); }
};
struct Net {
  nn::Linear<3, 5, true, f64> in;
  std::array<nn::Linear<5, 5, true, f64>, 2> h;
  nn::Stack<Block, 3> deep;
  nn::Sequential<nn::Linear<5, 4, true, f64>, nn::Tanh> tail;
  nn::Frozen<nn::Linear<4, 2, true, f64>> out;
  constexpr auto operator()(auto x) const { return out(tail(deep(h[1](tanh(h[0](tanh(in(x)))))))); }
};
struct Alone {
  nn::Param<f64, Shape<5, 3>> weight;
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
constexpr auto descent = [](auto p, auto g) { return p - 0.1 * g; };
// The loss behind one step of gradient descent on another batch.
constexpr auto after_a_step = [](const auto& m, auto x, auto y, auto x2, auto y2) {
  return loss(nn::map_parameters(descent, m, grad(loss)(m, x, y)), x2, y2);
};
template <class A, class B>
bool same(const A& a, const B& b) {
  return a.to_vector() == b.to_vector();
}

const std::vector<f64> x{1, -2, 0.5, 0.3, 0.7, -1}, y{1, 0, -1, 2}, x2{0.2, 1, -0.4, -1, 0.1, 0.6},
    y2{0.5, -1, 0, 1};

}  // namespace

TEST_CASE("map_parameters: a step inside of a function is the trainer's step") {
  Model<Net, TestDevice> model(test_device(), 3);
  auto f = compile(model, after_a_step, in<f64, 2, 3>, in<f64, 2, 2>, in<f64, 2, 3>, in<f64, 2, 2>);
  auto value = compile(model, loss, in<f64, 2, 3>, in<f64, 2, 2>);
  const f64 ahead = f(x, y, x2, y2).item(), here = value(x2, y2).item();
  auto trainer =
      make_trainer(std::move(model), loss, in<f64, 2, 3>, in<f64, 2, 2>, optim::PlainSGD{.lr = 0.1f});
  trainer.step(x, y);
  auto stepped = compile(trainer.model(), loss, in<f64, 2, 3>, in<f64, 2, 2>);
  CHECK(ahead == doctest::Approx(stepped(x2, y2).item()).epsilon(1e-7));  // 0.1f is no 0.1
  CHECK(std::abs(ahead - here) > 1e-4);
}

TEST_CASE("map_parameters: gradients go through the step, against finite differences") {
  Model<Net, TestDevice> model(test_device(), 3);
  auto f = compile(model, after_a_step, in<f64, 2, 3>, in<f64, 2, 2>, in<f64, 2, 3>, in<f64, 2, 2>);
  auto g = compile(
      model,
      [](const auto& m, auto a, auto b, auto c, auto d) {
        return nn::parameters_to_vector(grad(after_a_step)(m, a, b, c, d));
      },
      in<f64, 2, 3>, in<f64, 2, 2>, in<f64, 2, 3>, in<f64, 2, 2>);
  const std::vector<f64> flat = g(x, y, x2, y2).to_vector();
  std::size_t k = 0;
  const auto hold = [&](auto parameter) {
    for (i64 i = 0; i < parameter.size(); ++i, ++k) {
      const f64 old = parameter[i], step = 1e-5;
      parameter[i] = old + step;
      const f64 up = f(x, y, x2, y2).item();
      parameter[i] = old - step;
      const f64 down = f(x, y, x2, y2).item();
      parameter[i] = old;
      CHECK(flat[k] == doctest::Approx((up - down) / (2 * step)).epsilon(1e-5));
    }
  };
  hold(model.get<"in.weight">());
  hold(model.get<"in.bias">());
  hold(model.get<"h.0.weight">());
}

TEST_CASE("map_parameters: a trainer trains through the step") {
  auto trainer = make_trainer<Net>(Cpu{1}, after_a_step, in<f64, 2, 3>, in<f64, 2, 2>, in<f64, 2, 3>,
                                   in<f64, 2, 2>, optim::Adam{.lr = 1e-2f}, seed{3});
  const f32 first = trainer.step(x, y, x2, y2);
  f32 last = first;
  for (int i = 0; i < 60; ++i) last = trainer.step(x, y, x2, y2);
  CHECK(last < 0.5f * first);
}

TEST_CASE("map_parameters: the model stays, and so do what is frozen and one module's neighbours") {
  Model<Net, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto a) {
        const auto zeros_of = [](auto p) { return p * 0; };
        const auto zeroed = nn::map_parameters(zeros_of, m);
        auto in_alone = m;
        in_alone.in = nn::map_parameters(zeros_of, m.in);
        return std::tuple{m(a),
                          zeroed(a),
                          zeroed.out.inner.weight,
                          std::get<6>(nn::parameters(zeroed)),
                          in_alone.in.weight,
                          in_alone.h[0].weight};
      },
      in<f64, 2, 3>);
  auto plain = compile(
      model, [](const auto& m, auto a) { return m(a); }, in<f64, 2, 3>);
  const auto [own, none, kept, deep, in_weight, beside] = f(x);
  CHECK(same(own, plain(x)));
  CHECK(none.to_vector() == std::vector<f64>{none[0], none[1], none[0], none[1]});  // out's bias
  CHECK(same(kept, model.template get<"out.weight">()));
  for (const f64 v : deep) CHECK(v == 0);
  for (const f64 v : in_weight) CHECK(v == 0);
  CHECK(same(beside, model.template get<"h.0.weight">()));
}

TEST_CASE("map_parameters: tasks by vmap, each with a step of its own, and a step of grads inside of it") {
  Model<Net, TestDevice> model(test_device(), 3);
  auto tasks = compile(
      model,
      [](const auto& m, auto a, auto b, auto c, auto d) {
        return vmap([&](auto... of_task) { return after_a_step(m, of_task...); })(a, b, c, d);
      },
      in<f64, 2, 2, 3>, in<f64, 2, 2, 2>, in<f64, 2, 2, 3>, in<f64, 2, 2, 2>);
  auto one = compile(model, after_a_step, in<f64, 2, 3>, in<f64, 2, 2>, in<f64, 2, 3>, in<f64, 2, 2>);
  const auto both = [](std::vector<f64> a, const std::vector<f64>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<f64> all = tasks(both(x, x2), both(y, y2), both(x2, x), both(y2, y)).to_vector();
  CHECK(all[0] == doctest::Approx(one(x, y, x2, y2).item()).epsilon(1e-12));
  CHECK(all[1] == doctest::Approx(one(x2, y2, x, y).item()).epsilon(1e-12));
}

TEST_CASE("map_parameters: a literal takes a parameter's place") {
  Model<Alone, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto a) {
        return sum(nn::map_parameters([](auto) { return ones<f64, 5, 3>(); }, m).weight) * sum(a);
      },
      in<f64, 2>);
  CHECK(f(std::vector<f64>{1, 2}).item() == 45);
}

TEST_CASE("map_parameters: a vector and back") {
  Model<Net, TestDevice> model(test_device(), 3), other(test_device(), 4);
  auto vector = compile(other, [](const auto& m) { return nn::parameters_to_vector(m); });
  constexpr i64 n = 20 + 60 + 90 + 24;
  auto f = compile(
      model, [](const auto& m, auto v, auto a) { return nn::vector_to_parameters(v, m)(a); }, in<f64, n>,
      in<f64, 2, 3>);
  get<"out.weight">(model) = get<"out.weight">(other);  // which are frozen
  get<"out.bias">(model) = get<"out.bias">(other);
  auto want = compile(
      other, [](const auto& m, auto a) { return m(a); }, in<f64, 2, 3>);
  CHECK(same(f(vector(), x), want(x)));
}
