// Handwritten digits, end to end: trains a classifier, draws its loss, saves the parameters, loads them into
// a fresh model, and tests that model on the fifth of the digits that training never saw.

#include "digits.hpp"

#include <cstdio>
#include <string>
#include <weft/weft.hpp>

#include "training_log.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: digits [OPTIONS]\n"
    "  --data FILE     the digits (default: examples/data/digits.bin)\n"
    "  --out FOLDER    where digits.safetensors and digits.svg go (default: here)\n"
    "  --epochs N      passes over the training digits (default: 60)\n"
    "  --seed N        of starting values, dropout and order (default: 0)\n"
    "  --threads N     of the CPU; 0 is OpenMP's choice (default: 0)\n";

constexpr i64 batch = 32;

struct Mlp {
  nn::Linear<64, 256> fc1;
  nn::Dropout drop{.p = 0.3f};
  nn::Linear<256, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

// The same on every device; `Device` is a type, so this is compiled once for each.
template <class Device>
Finding train_and_test(const Device& device, const data::Digits& digits, const Options& options) {
  const int epochs = options.number("epochs", 60, 1, 100000);
  const u64 number = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  const std::string out = options.text("out", ".");

  auto loader = data::loader<batch>(digits.train, {.shuffle = true, .seed = number});
  const i64 steps = epochs * loader.batches();
  auto trainer = make_trainer<Mlp>(
      device, [](const auto& model, auto image, auto label) { return cross_entropy(model(image), label); },
      in<f32, batch, 64>, in<i32, batch>,
      optim::AdamW{.lr = schedule::warmup_cosine(1e-2, steps / 20, steps), .weight_decay = 0.01f},
      seed{number}, precision::f32);

  TrainingLog log({.title = "digits: training loss", .x_label = "epoch", .log_y = true},
                  {.epochs = epochs, .batches = loader.batches(), .batch_size = batch});
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [image, label] : loader) log.add(trainer.step(image, label));
  const f64 seconds = log.finish();

  const std::string weights = out + "/digits.safetensors", drawing = out + "/digits.svg";
  trainer.model().save(weights);
  log.save_chart(drawing);
  std::printf("wrote %s and %s\n", weights.c_str(), drawing.c_str());

  Model<Mlp, Device> model(device, number + 1);  // other starting values: what counts is the file
  model.load(weights);
  auto classify = compile(
      model, [](const auto& m, auto image) { return argmax<-1>(m(image)); }, in<f32, batch, 64>);
  return {figure("test accuracy", accuracy<batch>(classify, digits.test), 3), seconds};
}

int main(int argc, char** argv) {
  return run_on_digits("digits", usage, argc, argv,
                       [](const auto& device, const data::Digits& digits, const Options& options) {
                         return train_and_test(device, digits, options);
                       });
}
