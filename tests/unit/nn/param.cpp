#include "weft/nn/param.hpp"

#include "reference.hpp"

using namespace nn_test;

namespace {

struct Counter {
  nn::Param<f32, Shape<2>, nn::init::Ones> weight{};
  nn::Buffer<f32, Shape<2>> seen{};
  nn::Buffer<i64, Shape<>> calls{};
  constexpr auto operator()(auto x) const {
    const auto before = seen * 1.0f;
    seen.assign(seen + x);
    calls.assign(calls + 1);
    return sum<>(weight * (x + before));
  }
};

}  // namespace

TEST_CASE("param: a buffer is set at the end of the step; reads in the step see what was there before") {
  auto trainer = make_trainer<Counter>(
      test_device(), [](const auto& m, auto x) { return m(x); }, in<f32, 2>, optim::PlainSGD{.lr = 0});
  auto& model = trainer.model();
  const std::vector<float> x{1, 10};
  CHECK(trainer.step(x) == 11);
  CHECK(trainer.step(x) == 22);
  CHECK(trainer.step(x) == 33);
  CHECK(model.get<"seen">().to_vector() == std::vector<float>{3, 30});
  CHECK(model.get<"calls">().item() == 3);
}

TEST_CASE("param: a compiled function may set a buffer too") {
  Model<Counter> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2>);
  CHECK(f(std::vector<float>{1, 2})[0] == 3);
  CHECK(f(std::vector<float>{1, 2})[0] == 6);
  CHECK(model.get<"seen">().to_vector() == std::vector<float>{2, 4});
}

namespace {

struct Three {
  nn::Buffer<f32, Shape<64>> a, b, c;
  nn::Param<f32, Shape<64>, nn::init::Constant<4, 1>> p;
};

}  // namespace

TEST_CASE("param: buffers take over each other's values, and a parameter's, as these were before the step") {
  Model<Three, TestDevice> model(test_device(), 1);
  model.get<"a">() = 1.0f;
  model.get<"b">() = 2.0f;
  model.get<"c">() = 3.0f;
  const auto holds = [&](f32 a, f32 b, f32 c) {
    CHECK(model.get<"a">().to_vector() == std::vector<f32>(64, a));
    CHECK(model.get<"b">().to_vector() == std::vector<f32>(64, b));
    CHECK(model.get<"c">().to_vector() == std::vector<f32>(64, c));
  };
  auto swap = compile(model, [](const auto& m) {
    m.a.assign(m.b);
    m.b.assign(m.a);
    return sum(m.c);
  });
  swap();
  holds(2, 1, 3);
  auto turn = compile(model, [](const auto& m) {
    m.a.assign(m.b);
    m.b.assign(m.c);
    m.c.assign(m.a);
    return sum(m.a);
  });
  CHECK(turn().item() == 64 * 2);
  holds(1, 3, 2);
  auto take = compile(model, [](const auto& m) {
    m.a.assign(m.p);
    m.b.assign(m.a.latest());
    m.c.assign(m.a);
    return sum(m.a);
  });
  CHECK(take().item() == 64);
  holds(4, 4, 1);
}
