#include "weft/nn/embedding.hpp"

#include "reference.hpp"

using namespace nn_test;

TEST_CASE("embedding: rows and gradients agree with torch.nn.Embedding, repeated indices added up") {
  const auto file = open("layers");
  using M = nn::Embedding<7, 4>;
  struct P {
    M m{};
  };
  auto trainer = make_trainer<P>(
      Cpu{1}, [](const auto& p, auto index, auto g) { return sum<>(p.m(index) * g); }, in<i32, 3, 5>,
      in<f32, 3, 5, 4>, TakeGradient{});
  take_state(trainer.model(), file, "embedding");
  auto forward = compile(
      trainer.model(), [](const auto& p, auto index) { return p.m(index); }, in<i32, 3, 5>);
  check_close(forward(values<i32>(file, "embedding.x0")).data(), values(file, "embedding.y"), 60,
              "embedding.y");
  trainer.step(values<i32>(file, "embedding.x0"), values(file, "embedding.upstream"));
  check_gradients(trainer.model(), file, "embedding");
}

TEST_CASE("embedding: weights start as a standard normal") {
  Model<nn::Embedding<200, 100>> model(Cpu{}, 3);
  const auto weight = model.get<"weight">();
  double sum = 0, square = 0, fourth = 0;
  for (float w : weight)
    sum += w, square += static_cast<double>(w) * w, fourth += std::pow(static_cast<double>(w), 4);
  const double n = 20000;
  CHECK(std::abs(sum / n) < 5 / std::sqrt(n));
  CHECK(std::abs(square / n - 1) < 5 * std::sqrt(2 / n));
  CHECK(std::abs(fourth / n - 3) < 5 * std::sqrt(96 / n));
}
