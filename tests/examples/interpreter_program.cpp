// The program of docs/interpreter.md, and what it prints.

#include <cstdio>
// [include]
#include <weft/interpreter.hpp>
#include <weft/weft.hpp>
// [/include]

namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<4, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
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

// [visit]
void count(const NodeValue& value) {
  if (std::string_view(value.op) == "dot")
    std::printf("%s: %s\n", value.scope().c_str(), value.text().c_str());
}
// [/visit]

int main() {
  std::vector<f32> x(8 * 4, 1.0f);
  const std::vector<i32> label(8, 2);
  x[21] = 3000;
  // [nan]
  constexpr auto by_hand = [](const auto& model, auto input, auto target) {
    const auto e = exp(model(input));  // overflows where a softmax would not
    return nll_loss(log(e / sum<-1>(e, keepdim)), target);
  };
  auto trainer = make_trainer<Net>(Interpreter{}, by_hand, in<f32, 8, 4>, in<i32, 8>, optim::SGD{.lr = 0.1f},
                                   seed{1}, check::finite, check::indices);
  report([&] { trainer.step(x, label); });
  // [/nan]

  // [print]
  auto f = compile(
      Interpreter{.visit = print_values}, [](auto a) { return sum<>(exp(a)); }, in<f32, 2>);
  f(std::vector<f32>{0, 1});
  // [/print]

  // [shared]
  Model<Net> model(Cpu{}, seed{1});
  Model<Net, Interpreter> seen(Interpreter{.visit = count}, model);
  auto predict = compile(
      seen, [](const auto& m, auto input) { return m(input); }, in<f32, 8, 4>);
  predict(x);
  // [/shared]
}

// prints: check/finite: node 15, exp (8, 3) of f32 after fc2: element (5, 0) of its resu
// prints: lt is inf
// prints: %0 = input 0 : f32 (2,)
// prints: tensor([0., 1.])
// prints: %1 = exp(%0) : f32 (2,)
// prints: tensor([1.0000, 2.7183])
// prints: %2 = sum(%1) axes [0] : f32 (1,)
// prints: tensor([3.7183])
// prints: %3 = reshape(%2) : f32 ()
// prints: tensor(3.7183)
// prints: fc1: %3 = dot(%0, %1) batch () with () contract (1) with (1) : f32 (8, 16)
// prints: fc2: %11 = dot(%8, %9) batch () with () contract (1) with (1) : f32 (8, 3)
