// Whole trainings with precision::f8 beside the same with precision::bf16.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../../../benchmarks/compile/gpt2.hpp"
#include "support/repository.hpp"
#include "weft/data/digits.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 64> fc1, fc2;
  nn::Linear<64, 10> fc3;
  constexpr auto operator()(auto x) const { return fc3(relu(fc2(relu(fc1(x))))); }
};

// The part of the test digits that is told rightly after 8 epochs.
template <class Precision>
f64 accuracy_of_digits(Precision policy, const data::Digits& digits) {
  auto loader = data::loader<32>(digits.train, {.shuffle = true, .seed = 5});
  auto trainer = make_trainer<Mlp>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
      in<i32, 32>, optim::AdamW{.lr = 2e-3f}, policy, seed{7});
  for (int epoch = 0; epoch < 8; ++epoch)
    for (auto& [x, y] : loader) trainer.step(x, y);
  return trainer.evaluate([](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, digits.test);
}

using Tiny = gpt2::Gpt2<8, 16, 2, 16, 2, gpt2::Depth::stacked>;
// The mean of the last 50 of 150 losses; a token follows from the one before in three of four places.
template <class Precision>
f64 loss_of_gpt(Precision policy) {
  auto trainer = make_trainer<Tiny>(Cpu{1}, gpt2::NextToken{}, in<i32, 8, 8>, in<i32, 8, 8>,
                                    optim::AdamW{.lr = 1e-2f}, policy, seed{7}, mode::eval);
  u32 random = 1;
  f64 total = 0;
  for (int step = 0; step < 150; ++step) {
    std::vector<i32> tokens, targets;
    for (int row = 0; row < 8; ++row)
      for (int k = 0, token = 0; k <= 8; ++k) {
        random = random * 1664525u + 1013904223u;
        token = (random >> 16) % 4 == 0 ? static_cast<int>(random >> 20 & 15u) : (5 * token + 3) % 16;
        if (k < 8) tokens.push_back(token);
        if (k > 0) targets.push_back(token);
      }
    const float loss = trainer.step(tokens, targets);
    if (step >= 100) total += static_cast<f64>(loss) / 50;
  }
  return total;
}

}  // namespace

TEST_CASE("f8: the digits are learnt to within 1 % of bf16's accuracy") {
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  const f64 bf16 = accuracy_of_digits(precision::bf16, digits),
            f8 = accuracy_of_digits(precision::f8, digits);
  MESSAGE("bf16 ", bf16, ", f8 ", f8);
  CHECK(bf16 > 0.9);
  CHECK(std::abs(f8 - bf16) <= 0.01);
}

TEST_CASE("f8: a small GPT trains to within 1 % of bf16's loss") {
  const f64 bf16 = loss_of_gpt(precision::bf16), f8 = loss_of_gpt(precision::f8);
  MESSAGE("bf16 ", bf16, ", f8 ", f8);
  CHECK(bf16 < 2.2);  // of log 16 = 2.77
  CHECK(f8 != bf16);
  CHECK(std::abs(f8 - bf16) <= 0.01 * bf16);
}
