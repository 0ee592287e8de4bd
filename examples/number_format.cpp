// A pass of one's own: how few bits do matrix products need? Trains a classifier of handwritten digits whose
// products round their operands to a fixed-point grid, forward and backward, and the same one without. The
// model, the loss and the library know nothing of it.

#include <chrono>
#include <cstdio>
#include <string>
#include <weft/weft.hpp>

#include "digits.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: number_format [OPTIONS]\n"
    "  --data FILE     the digits (default: examples/data/digits.bin)\n"
    "  --epochs N      passes over the training digits (default: 20)\n"
    "  --seed N        of starting values and order (default: 0)\n"
    "  --threads N     of the CPU; 0 is OpenMP's choice (default: 0)\n";

constexpr i64 batch = 32;

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

// [pass]
// Both operands of every matrix product become multiples of 2^-Bits.
template <int Bits>
struct FixedPoint {
  static constexpr ir::Graph run(const ir::Graph& g) {
    return pass::rewrite(g, [](ir::Builder& b, const ir::Node& node, const ir::Value* operands) {
      if (node.op != ir::Op::dot || node.dtype != DType::f32) return ir::Value{};
      int rounded[2];
      for (int k = 0; k < 2; ++k) {
        const ir::Value x = operands[k], steps = ir::constant_like(x, 1 << Bits);
        rounded[k] = (ir::unary(ir::Op::round, x * steps) * ir::constant_like(x, 1.0 / (1 << Bits))).id;
      }
      return ir::Value{&b, b.add(node, rounded, 2)};
    });
  }
  static constexpr bool verify(const ir::Graph& g) {
    int products = 0, roundings = 0;
    for (const ir::Node& node : g.nodes) {
      products += node.op == ir::Op::dot;
      roundings += node.op == ir::Op::round;
    }
    return products == 0 || roundings > 0;
  }
};
// [/pass]

// The share of the held-out digits that a classifier trained under `policy` recognises.
template <class Device, class... Policy>
double train_and_test(const Device& device, const data::Digits& digits, const Options& options,
                      const Policy&... policy) {
  const int epochs = options.number("epochs", 20, 1, 100000);
  const u64 number = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  auto loader = data::loader<batch>(digits.train, {.shuffle = true, .seed = number});
  auto trainer = make_trainer<Mlp>(
      device, [](const auto& model, auto image, auto label) { return cross_entropy(model(image), label); },
      in<f32, batch, 64>, in<i32, batch>,
      optim::AdamW{.lr = schedule::cosine(1e-2, epochs * loader.batches())}, seed{number}, policy...);
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [image, label] : loader) trainer.step(image, label);
  auto classify = compile(
      trainer.model(), [](const auto& m, auto image) { return argmax<-1>(m(image)); }, in<f32, batch, 64>);
  return accuracy<batch>(classify, digits.test);
}

int main(int argc, char** argv) {
  return run_on_digits(
      "number_format", usage, argc, argv,
      [](const auto& device, const data::Digits& digits, const Options& options) {
        const auto start = std::chrono::steady_clock::now();
        // [option]
        const double exact = train_and_test(device, digits, options);
        const double fine =
            train_and_test(device, digits, options, pass::after<"differentiate">(FixedPoint<10>{}));
        const double coarse =
            train_and_test(device, digits, options, pass::after<"differentiate">(FixedPoint<6>{}));
        // [/option]
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf("test accuracy: f32 %.3f, multiples of 1/1024 %.3f, of 1/64 %.3f\n", exact, fine, coarse);
        return Finding{figure("test accuracy lost by 1/64", exact - coarse, 3), seconds.count()};
      });
}
