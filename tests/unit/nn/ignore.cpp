#include "weft/nn/ignore.hpp"

#include "reference.hpp"
#include "weft/nn/linear.hpp"

using namespace nn_test;

TEST_CASE("ignore: an input that is ignored is accepted, and costs nothing") {
  struct M {
    nn::Linear<3, 1> fc{};
  };
  auto plain = make_trainer<M>(
      Cpu{1}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 3>, optim::PlainSGD{},
      seed{3});
  auto ignoring = make_trainer<M>(
      Cpu{1},
      [](const auto& m, auto x, auto mask, auto y) {
        ignore(mask, y);
        return mean<>(m.fc(x));
      },
      in<f32, 4, 3>, in<i32, 4>, in<f32, 9>, optim::PlainSGD{}, seed{3});
  static_assert(decltype(plain)::launches() == decltype(ignoring)::launches());
  static_assert(decltype(plain)::workspace_bytes() == decltype(ignoring)::workspace_bytes());
  const std::vector<float> x(12, 1.0f);
  CHECK(plain.step(x) == ignoring.step(x, std::vector<i32>(4), std::vector<float>(9)));
}
