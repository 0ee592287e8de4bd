// Handwritten digits with a convolutional network: trains it, draws its loss, saves the parameters, loads
// them into a fresh model, and tests that model on the fifth of the digits that training never saw.

#include <cstdio>
#include <string>
#include <weft/weft.hpp>

#include "digits.hpp"
#include "training_log.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: digits_cnn [OPTIONS]\n"
    "  --data FILE     the digits (default: examples/data/digits.bin)\n"
    "  --out FOLDER    where digits_cnn.safetensors and digits_cnn.svg go (default: here)\n"
    "  --epochs N      passes over the training digits (default: 25)\n"
    "  --seed N        of starting values, dropout and order (default: 0)\n"
    "  --threads N     of the CPU; 0 is OpenMP's choice (default: 0)\n";

constexpr i64 batch = 32;

struct Cnn {
  nn::Conv2d<1, 24, 3, nn::ConvOptions{.padding = 1}> conv1;
  nn::Conv2d<24, 48, 3, nn::ConvOptions{.padding = 1}> conv2;
  nn::MaxPool2d<2> pool;
  nn::Dropout drop{.p = 0.4f};
  nn::Linear<48 * 4 * 4, 64> fc1;
  nn::Linear<64, 10> fc2;
  constexpr auto operator()(auto x) const {
    const auto image = reshape<-1, 1, 8, 8>(x);                   // (N, 1, 8, 8)
    const auto features = pool(relu(conv2(relu(conv1(image)))));  // (N, 48, 4, 4)
    return fc2(drop(relu(fc1(drop(flatten<1>(features))))));      // (N, 10)
  }
};

// The same on every device; `Device` is a type, so this is compiled once for each.
template <class Device>
Finding train_and_test(const Device& device, const data::Digits& digits, const Options& options) {
  const int epochs = options.number("epochs", 25, 1, 100000);
  const u64 number = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  const std::string out = options.text("out", ".");

  auto loader = data::loader<batch>(digits.train, {.shuffle = true, .seed = number});
  const i64 steps = epochs * loader.batches();
  auto trainer = make_trainer<Cnn>(
      device, [](const auto& model, auto image, auto label) { return cross_entropy(model(image), label); },
      in<f32, batch, 64>, in<i32, batch>,
      optim::AdamW{.lr = schedule::warmup_cosine(4e-3, steps / 20, steps), .weight_decay = 0.01f},
      seed{number}, precision::f32);

  TrainingLog log({.title = "digits_cnn: training loss", .x_label = "epoch", .log_y = true},
                  {.epochs = epochs, .batches = loader.batches(), .batch_size = batch});
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [image, label] : loader) log.add(trainer.step(image, label));
  const f64 seconds = log.finish();

  const std::string weights = out + "/digits_cnn.safetensors", drawing = out + "/digits_cnn.svg";
  trainer.model().save(weights);
  log.save_chart(drawing);
  std::printf("wrote %s and %s\n", weights.c_str(), drawing.c_str());

  Model<Cnn, Device> model(device, number + 1);  // other starting values: what counts is the file
  model.load(weights);
  auto classify = compile(
      model, [](const auto& m, auto image) { return argmax<-1>(m(image)); }, in<f32, batch, 64>);
  return {figure("test accuracy", accuracy<batch>(classify, digits.test), 3), seconds};
}

int main(int argc, char** argv) {
  return run_on_digits("digits_cnn", usage, argc, argv,
                       [](const auto& device, const data::Digits& digits, const Options& options) {
                         return train_and_test(device, digits, options);
                       });
}
