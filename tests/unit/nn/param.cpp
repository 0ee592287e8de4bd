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
