// Distinct trainers, functions, loaders and expressions in distinct threads are independent: under the thread
// sanitizer, and with the numbers of a run in one thread. Files may be shared: whoever reads finds one of
// those that were saved.

#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "../unit/io/scratch.hpp"
#include "weft/data/loader.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<8, 16> fc1{};
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<16, 4> fc2{};
  constexpr auto operator()(auto x) const { return fc2(drop(tanh(fc1(x)))); }
};

constexpr int threads = 4;

void in_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : running) thread.join();
}

auto make_rows() {
  std::vector<f32> pixels(8 * 60);
  std::vector<i32> labels(60);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<f32>(i % 17) / 17;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<i32>(i % 4);
  return data::Arrays<f32, i32>({pixels, {8}}, {labels, {}});
}
auto make(int t) {
  return make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::AdamW{.lr = 1e-2f}, seed{static_cast<u64>(t)});
}

// What one thread does with what is its own; `rows` is shared and only read.
std::vector<f32> train_alone(const data::Arrays<f32, i32>& rows, int t) {
  auto trainer = make(t);
  auto loader = data::loader<16>(rows, {.shuffle = true, .seed = static_cast<u64>(t), .last = pad_and_mask});
  auto predict = compile(
      trainer.model(), [](const auto& m, auto x) { return softmax<-1>(m(x)); }, in<f32, 16, 8>);
  std::vector<f32> numbers;
  for (int epoch = 0; epoch < 5; ++epoch)
    for (auto& [x, y] : loader) {
      numbers.push_back(trainer.step(x, y));
      const Tensor<f32, Shape<16, 4>> p = predict(x) * 2.0f;
      numbers.push_back(p(3, 1));
    }
  return numbers;
}

}  // namespace

TEST_CASE("threads: each trains its own, with the numbers of one thread") {
  const auto rows = make_rows();
  std::vector<f32> found[threads], wanted[threads];
  in_threads([&](int t) { found[t] = train_alone(rows, t); });
  for (int t = 0; t < threads; ++t) {
    wanted[t] = train_alone(rows, t);
    CHECK(found[t].size() == 40);
    CHECK(found[t] == wanted[t]);
  }
  CHECK(found[0] != found[1]);
}

TEST_CASE("threads: a checkpoint is written while its trainer goes on") {
  const ScratchFolder folder;
  const auto rows = make_rows();
  auto trainer = make(0);
  auto loader = data::loader<16>(rows);
  trainer.save(folder / "before");
  Saving saving = trainer.save_in_background(folder / "background");
  for (auto& [x, y] : loader) trainer.step(x, y);
  while (!saving.is_written()) trainer.set_lr(1e-3f);
  saving.wait();
  CHECK(io::read_file(folder / "before") == io::read_file(folder / "background"));
}

TEST_CASE("threads: all save to one path and load from it, and every load is of one of them") {
  const ScratchFolder folder;
  const std::string path = folder / "shared";
  make(0).save(path);
  bool whole[threads]{};
  in_threads([&](int t) {
    auto own = make(t), other = make(t);
    whole[t] = true;
    for (int i = 0; i < 20; ++i) {
      own.save(path);
      other.load(path);
      const io::Safetensors file(path);
      whole[t] = whole[t] && file.find_metadata("weft.seed")->size() == 1;
    }
  });
  for (const bool each : whole) CHECK(each);
  CHECK(folder.count() == 1);
}
