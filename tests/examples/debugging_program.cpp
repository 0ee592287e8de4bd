// The program of docs/debugging.md, and what it prints.

// [program]
#include <cstdio>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<4, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
// a softmax that was written out: exp overflows where softmax would not
constexpr auto by_hand = [](const auto& model, auto x, auto label) {
  const auto e = exp(model(x));
  return nll_loss(log(e / sum<-1>(e, keepdim)), label);
};

template <class F>
void report(F run) {
  try {
    run();
  } catch (const Error& error) {
    const std::string text = error.what();
    for (std::size_t at = 0; at < text.size(); at += 78) std::printf("%s\n", text.substr(at, 78).c_str());
  }
}

int main() {
  std::vector<f32> x(8 * 4, 1.0f);
  const std::vector<i32> label(8, 2);
  x[21] = 3000;  // a sample that nobody looked at

  auto plain = make_trainer<Net>(Cpu{}, by_hand, in<f32, 8, 4>, in<i32, 8>, optim::SGD{.lr = 0.1f}, seed{1});
  std::printf("loss %g\n", double(plain.step(x, label)));

  // 1. which kernel
  auto trainer = make_trainer<Net>(Cpu{}, by_hand, in<f32, 8, 4>, in<i32, 8>, optim::SGD{.lr = 0.1f}, seed{1},
                                   check::finite, check::indices);
  report([&] { trainer.step(x, label); });

  // 2. which operation: a part of the loss alone
  auto part = compile(
      trainer.model(), [](const auto& model, auto input) { return exp(model(input)); }, in<f32, 8, 4>,
      check::finite);
  report([&] { part(x); });

  // 3. what it was given
  auto largest = compile(
      Cpu{}, [](auto input) { return max<>(input); }, in<f32, 8, 4>);
  std::printf("largest input: %g\n", double(largest(x).item()));
}
// [/program]

// prints: loss nan
// prints: check/finite: kernel 4, row+column+all (8, 3): exp, sum, div, log, le, lt, and
// prints: , iota, eq, select, sum, neg, select, sum, div, select, neg, select, div x2, m
// prints: ul, sum, neg, add, mul, sum in fc2: element (0, 0) of its result (1, 1) of f32
// prints:  is nan
// prints: check/finite: kernel 3, map (8, 3): exp after fc2: element (5, 0) of its resul
// prints: t (8, 3) of f32 is inf
// prints: largest input: 3000
