// Nothing grows: resident memory, descriptors and mappings are after 20,000 steps and calls what they were
// after the first thousand.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "../unit/io/scratch.hpp"
#include "weft/data/loader.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/any_trainer.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<8, 16> fc1{};
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<16, 4> fc2{};
  constexpr auto operator()(auto x) const { return fc2(drop(tanh(fc1(x)))); }
};

struct Footprint {
  double resident = 0;  // bytes
  int descriptors = 0, mappings = 0;
};
Footprint footprint() {
  Footprint f;
  std::ifstream status("/proc/self/status"), maps("/proc/self/maps");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmRSS:")) f.resident = 1024 * std::stod(line.substr(6));
  while (std::getline(maps, line)) ++f.mappings;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++f.descriptors;
  return f;
}

// A tenth of the bytes that 19,000 rounds would take if each left 64 behind; sanitizers keep freed memory for
// a while.
#if defined(__SANITIZE_ADDRESS__)
constexpr double slack = 1e9;
constexpr int slack_mappings = 100;
#else
constexpr double slack = 600e3;
constexpr int slack_mappings = 1;
#endif

template <class Round>
void check(const char* what, int rounds, const Round& round) {
  for (int i = 0; i < rounds / 20; ++i) round(i);
  const Footprint before = footprint();
  for (int i = rounds / 20; i < rounds; ++i) round(i);
  const Footprint after = footprint();
  CAPTURE(what);
  CHECK(after.resident - before.resident <= slack);
  CHECK(after.descriptors == before.descriptors);
  CHECK(after.mappings <= before.mappings + slack_mappings);
}

}  // namespace

TEST_CASE("growth: training, calling, loading batches, and expressions") {
  std::vector<f32> pixels(8 * 100);
  std::vector<i32> labels(100);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<f32>(i % 17) / 17;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<i32>(i % 4);
  const data::Arrays<f32, i32> rows({pixels, {8}}, {labels, {}});
  auto loader = data::loader<16>(rows, {.shuffle = true, .last = pad_and_mask});
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::AdamW{.lr = 1e-3f}, clip::norm(1.0f));
  auto predict = compile(
      trainer.model(), [](const auto& m, auto x) { return m(x); }, in<f32, 16, 8>);
  f32 sum = 0;
  check("epochs of seven steps", 20'000 / 7, [&](int) {
    for (auto& [x, y] : loader) sum += trainer.step(x, y);
  });
  check("steps whose losses nobody reads", 20'000, [&](int) { trainer.step(pixels.data(), labels.data()); });
  check("calls", 20'000, [&](int) {
    auto y = predict(pixels.data());
    sum += y(0, 0);
  });
  check("expressions", 20'000, [&](int i) {
    Tensor<f32, Shape<8>> a(std::vector<f32>(8, static_cast<f32>(i % 3)));
    Tensor<f32, Shape<8>> b = a * a + 1.0f;
    sum += b(3);
  });
  CHECK(sum == sum);
}

TEST_CASE("growth: saving and loading, refused files included") {
  const ScratchFolder folder;
  const std::string path = folder / "c", broken = folder / "b";
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::AdamW{.lr = 1e-3f}, clip::norm(1.0f));
  trainer.save(path);
  io::write_file(broken, io::read_file(path).substr(0, 2000));
  check("saves", 200, [&](int) { trainer.save(path); });
  check("loads", 20'000, [&](int) {
    trainer.load(path);
    trainer.model().load(path, {.allow = unexpected});
  });
  check("refusals", 20'000, [&](int) {
    CHECK_THROWS_AS(trainer.load(broken), Error);
    CHECK_THROWS_AS(trainer.model().load(path), Error);
  });
}
