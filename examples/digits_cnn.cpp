// Handwritten digits with a convolutional network: trains it, draws its loss, saves the parameters, loads
// them into a fresh model, and tests that model on the fifth of the digits that training never saw.

#include <cstdio>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "options.hpp"

namespace nn = weft::nn;
using namespace weft;

#ifdef WEFT_SOURCE_DIR
constexpr const char* default_data = WEFT_SOURCE_DIR "/examples/data/digits.bin";
#else
constexpr const char* default_data = "examples/data/digits.bin";
#endif

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

struct Result {
  i64 correct = 0, tested = 0;
  f64 seconds = 0;  // of training
};

// The same on every device; `Device` is a type, so this is compiled once for each.
template <class Device>
Result train_and_test(const Device& device, const data::Digits& digits, const Options& options) {
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

  train::Curve curve({.title = "digits_cnn: training loss", .x_label = "epoch", .log_y = true});
  train::Progress progress({.epochs = epochs, .batches = loader.batches(), .batch_size = batch});
  std::vector<Loss> losses;
  const f64 start = train::steady_seconds();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    losses.clear();
    for (auto& [image, label] : loader) {
      losses.push_back(trainer.step(image, label));
      progress.update(epoch, static_cast<i64>(losses.size()), losses.back());
    }
    f64 sum = 0;
    for (const Loss& loss : losses) sum += loss;
    curve.add("mean of an epoch", epoch + 1, sum / static_cast<f64>(losses.size()));
  }
  Result result;
  result.seconds = train::steady_seconds() - start;
  progress.finish();
  const std::string weights = out + "/digits_cnn.safetensors", drawing = out + "/digits_cnn.svg";
  trainer.model().save(weights);
  curve.save(drawing);
  std::printf("wrote %s and %s\n", weights.c_str(), drawing.c_str());

  Model<Cnn, Device> model(device, number + 1);  // other starting values: what counts is the file
  model.load(weights);
  auto classify = compile(
      model, [](const auto& m, auto image) { return argmax<-1>(m(image)); }, in<f32, batch, 64>);
  Tensor<i64, Shape<batch>> predicted;
  for (auto& part : data::loader<batch>(digits.test, {.last = data::pad_and_mask})) {
    auto& [image, label] = part;
    classify.into(predicted)(image);
    for (i64 i = 0; i < part.valid(); ++i) result.correct += predicted[i] == label[i];
    result.tested += part.valid();
  }
  return result;
}

int main(int argc, char** argv) try {
  const Options options(argc, argv, usage);
  const Cpu cpu{options.number("threads", 0, 0, 4096)};
  const data::Digits digits = data::load_digits(options.text("data", default_data));
  std::string place;
  const Result result = on_best_device([&](auto device) {
    if constexpr (std::is_same_v<decltype(device), Cpu>) {
      const int threads = cpu_threads(cpu);
      place = "cpu, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
      return train_and_test(cpu, digits, options);
    } else {
      place = "cuda";
      return train_and_test(device, digits, options);
    }
  });
  std::printf("digits_cnn: test accuracy %.3f in %.2f s (%s)\n",
              static_cast<f64>(result.correct) / static_cast<f64>(result.tested), result.seconds,
              place.c_str());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "digits_cnn: %s\n", error.what());
  return 1;
}
