// Handwritten digits through a bottleneck of two numbers: trains a convolutional autoencoder, draws its loss,
// saves the parameters, loads them into a fresh model, and tests that model on the fifth of the digits that
// training never saw. Two pictures show those digits above what became of them, and where they lie in the
// plane of the two numbers.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "digits.hpp"
#include "training_log.hpp"

namespace nn = weft::nn;
using namespace weft;

constexpr const char* usage =
    "usage: autoencoder [OPTIONS]\n"
    "  --data FILE     the digits (default: examples/data/digits.bin)\n"
    "  --out FOLDER    where autoencoder.safetensors and the pictures go (default: here)\n"
    "  --epochs N      passes over the training digits (default: 60)\n"
    "  --seed N        of starting values and order (default: 0)\n"
    "  --threads N     of the CPU; 0 is OpenMP's choice (default: 0)\n";

constexpr i64 batch = 32, pixels = 64;

struct Autoencoder {
  static constexpr nn::ConvOptions halve{.stride = 2, .padding = 1};
  static constexpr nn::ConvTransposeOptions twice{.stride = 2, .padding = 1};
  nn::Conv2d<1, 16, 4, halve> conv1;
  nn::Conv2d<16, 32, 4, halve> conv2;
  nn::Linear<32 * 2 * 2, 64> fc1;
  nn::Linear<64, 2> to_code;
  nn::Linear<2, 64> from_code;
  nn::Linear<64, 32 * 2 * 2> fc2;
  nn::ConvTranspose2d<32, 16, 4, twice> up1;
  nn::ConvTranspose2d<16, 1, 4, twice> up2;

  constexpr auto encode(auto x) const {
    const auto image = reshape<-1, 1, 8, 8>(x);
    const auto features = gelu(conv2(gelu(conv1(image))));  // (N, 32, 2, 2)
    return to_code(gelu(fc1(flatten<1>(features))));        // (N, 2)
  }
  constexpr auto decode(auto code) const {
    const auto features = reshape<-1, 32, 2, 2>(gelu(fc2(gelu(from_code(code)))));
    return flatten<1>(sigmoid(up2(gelu(up1(features)))));  // (N, 64)
  }
};

// A held-out digit, what the network makes of it, and its place in the plane.
struct Sample {
  std::array<f32, pixels> image, reconstruction;  // ink, 0 to 1
  std::array<f32, 2> code;
  i32 label;
};

std::string text(const char* format, auto... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

std::string svg(int width, int height, const std::string& content) {
  return text("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
              width, height, width, height) +
         "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + content +
         "</svg>\n";
}

// The first digits, 15 a row, each above its reconstruction.
std::string pairs(const std::vector<Sample>& samples) {
  constexpr int columns = 15, cell = 48, margin = 8, dot = 6;
  const int shown = std::min(30, static_cast<int>(samples.size())), rows = (shown + columns - 1) / columns;
  std::string out;
  const auto draw = [&](const std::array<f32, pixels>& image, int left, int top) {
    for (int i = 0; i < pixels; ++i) {
      const f32 ink = image[static_cast<std::size_t>(i)];
      const int grey = static_cast<int>(std::lround(255 * (1 - ink)));
      out += text("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\"/>\n",
                  left + dot * (i % 8), top + dot * (i / 8), dot, dot, grey, grey, grey);
    }
  };
  for (int i = 0; i < shown; ++i) {
    const int left = margin + (i % columns) * (cell + margin),
              top = margin + (i / columns) * (2 * cell + 3 * margin);
    draw(samples[static_cast<std::size_t>(i)].image, left, top);
    draw(samples[static_cast<std::size_t>(i)].reconstruction, left, top + cell + margin / 2);
  }
  return svg(margin + columns * (cell + margin), rows * (2 * cell + 3 * margin),
             "<g shape-rendering=\"crispEdges\">\n" + out + "</g>\n");
}

// Every digit at its code, as its label.
std::string plane(const std::vector<Sample>& samples) {
  constexpr const char* colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                    "#56b4e9", "#000000", "#8c564b", "#7f7f7f", "#9467bd"};
  constexpr int size = 640, margin = 24;
  std::array<f32, 2> low = samples.front().code, high = low;
  for (const Sample& s : samples)
    for (std::size_t k = 0; k < 2; ++k)
      low[k] = std::min(low[k], s.code[k]), high[k] = std::max(high[k], s.code[k]);
  std::string out;
  for (const Sample& s : samples) {
    f64 at[2];
    for (std::size_t k = 0; k < 2; ++k)
      at[k] = margin + (size - 2 * margin) * static_cast<f64>((s.code[k] - low[k]) / (high[k] - low[k]));
    out += text("<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%d</text>\n", at[0], size - at[1], colors[s.label],
                s.label);
  }
  return svg(size, size,
             "<g font-size=\"15\" text-anchor=\"middle\" dominant-baseline=\"central\">\n" + out + "</g>\n");
}

// The same on every device; `Device` is a type, so this is compiled once for each.
template <class Device>
Finding train_and_test(const Device& device, const data::Digits& digits, const Options& options) {
  const int epochs = options.number("epochs", 60, 1, 100000);
  const u64 number = static_cast<u64>(options.number("seed", 0, 0, 1 << 30));
  const std::string out = options.text("out", ".") + "/autoencoder";

  auto loader = data::loader<batch>(digits.train, {.shuffle = true, .seed = number});
  const i64 steps = epochs * loader.batches();
  auto trainer = make_trainer<Autoencoder>(
      device,
      [](const auto& model, auto image) {
        const auto code = model.encode(image);
        return mse_loss(model.decode(code), image) + 1e-3f * mean<>(square(code));  // codes stay together
      },
      in<f32, batch, pixels>, optim::AdamW{.lr = schedule::warmup_cosine(4e-3, steps / 20, steps)},
      seed{number}, precision::f32);

  TrainingLog log({.title = "autoencoder: training loss", .x_label = "epoch", .log_y = true},
                  {.epochs = epochs, .batches = loader.batches(), .batch_size = batch});
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto& [image, label] : loader) log.add(trainer.step(image));
  const f64 seconds = log.finish();
  trainer.model().save(out + ".safetensors");
  log.save_chart(out + ".svg");

  Model<Autoencoder, Device> model(device, number + 1);  // other starting values: what counts is the file
  model.load(out + ".safetensors");
  auto pass = compile(
      model,
      [](const auto& m, auto image) {
        const auto code = m.encode(image);
        return std::tuple{m.decode(code), code};
      },
      in<f32, batch, pixels>);
  Tensor<f32, Shape<batch, pixels>> reconstructions;
  Tensor<f32, Shape<batch, 2>> codes;
  std::vector<Sample> samples;
  f64 error = 0;
  for (auto& part : data::loader<batch>(digits.test, {.last = data::pad_and_mask})) {
    auto& [image, label] = part;
    pass.into(reconstructions, codes)(image);
    for (i64 i = 0; i < part.valid(); ++i) {
      Sample s{.image = {}, .reconstruction = {}, .code = {codes(i, 0), codes(i, 1)}, .label = label[i]};
      for (i64 p = 0; p < pixels; ++p) {
        s.image[static_cast<std::size_t>(p)] = image[i * pixels + p];
        s.reconstruction[static_cast<std::size_t>(p)] = reconstructions(i, p);
        error += std::pow(image[i * pixels + p] - reconstructions(i, p), 2);
      }
      samples.push_back(s);
    }
  }
  io::write_file(out + "_pairs.svg", pairs(samples));
  io::write_file(out + "_plane.svg", plane(samples));
  std::printf("wrote %s.safetensors, %s.svg,\n  %s_pairs.svg and %s_plane.svg\n", out.c_str(), out.c_str(),
              out.c_str(), out.c_str());
  return {figure("reconstruction error", error / static_cast<f64>(samples.size() * pixels), 4), seconds};
}

int main(int argc, char** argv) {
  return run_on_digits("autoencoder", usage, argc, argv,
                       [](const auto& device, const data::Digits& digits, const Options& options) {
                         return train_and_test(device, digits, options);
                       });
}
