#include "weft/train/saving.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>

#include "../io/scratch.hpp"
#include "weft/data/loader.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/any_trainer.hpp"
#include "weft/train/lbfgs.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<64, 96> fc1{};
  nn::Linear<96, 64> fc2{};
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
template <class... O>
auto make(const O&... options) {
  return make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 16, 64>,
      in<i32, 16>, seed{5}, options...);
}
struct Batch {
  std::vector<f32> x;
  std::vector<i32> y;
};
Batch batch() {
  Batch b{std::vector<f32>(16 * 64), std::vector<i32>(16)};
  for (std::size_t i = 0; i < b.x.size(); ++i) b.x[i] = static_cast<f32>(i * 37 % 64) / 32 - 1;
  for (std::size_t i = 0; i < b.y.size(); ++i) b.y[i] = static_cast<i32>(i * 11 % 64);
  return b;
}

// What f writes to stderr.
template <class F>
std::string said(const ScratchFolder& folder, const F& f) {
  std::fflush(stderr);
  const int kept = ::dup(2);
  std::FILE* const file = std::fopen((folder / "stderr").c_str(), "w");
  ::dup2(::fileno(file), 2);
  f();
  std::fflush(stderr);
  ::dup2(kept, 2);
  ::close(kept);
  std::fclose(file);
  return io::read_file(folder / "stderr");
}

}  // namespace

TEST_CASE("saving: a file in the background is that of the call, whatever is trained since") {
  const ScratchFolder folder;
  const Batch b = batch();
  auto trainer = make(optim::AdamW{.lr = 1e-2f});
  for (int i = 0; i < 3; ++i) trainer.step(b.x, b.y);
  trainer.save(folder / "plain");
  Saving saving = trainer.save_in_background(folder / "background");
  for (int i = 0; i < 20; ++i) trainer.step(b.x, b.y);
  saving.wait();
  CHECK(saving.is_written());
  CHECK(io::read_file(folder / "plain") == io::read_file(folder / "background"));
  saving.wait();  // again there is nothing to wait for

  // the next one waits for the one before
  saving = trainer.save_in_background(folder / "second");
  trainer.step(b.x, b.y);
  saving = trainer.save_in_background(folder / "third");
  CHECK(io::read_file(folder / "second").size() == io::read_file(folder / "plain").size());
  // and the file outlives the trainer
  {
    auto other = make(optim::AdamW{.lr = 1e-2f});
    other.load(folder / "plain");
    saving = other.save_in_background(folder / "other");
  }
  saving.wait();
  CHECK(io::read_file(folder / "plain") == io::read_file(folder / "other"));
  { const Saving last = trainer.save_in_background(folder / "last"); }  // whose end waits, too
  trainer.save(folder / "same");
  CHECK(io::read_file(folder / "last") == io::read_file(folder / "same"));
}

TEST_CASE("saving: a position of a loader, L-BFGS and an AnyTrainer are saved in the background, too") {
  const ScratchFolder folder;
  const Batch b = batch();
  auto trainer = make(optim::LBFGS{});
  trainer.step(b.x, b.y);
  trainer.save(folder / "plain");
  Saving saving = trainer.save_in_background(folder / "background");
  trainer.step(b.x, b.y);
  saving.wait();
  CHECK(io::read_file(folder / "plain") == io::read_file(folder / "background"));

  AnyTrainer<Tensor<f32, Shape<16, 64>>, Tensor<i32, Shape<16>>> any(
      [] { return make(optim::AdamW{.lr = 1e-2f}); });
  const data::Arrays<f32, i32> rows({std::vector<f32>(64 * 64, 0.5f), {64}}, {std::vector<i32>(64, 7), {}});
  auto loader = data::loader<16>(rows, {.shuffle = true, .seed = 9});
  for (auto& [x, y] : loader) any.step(x, y);
  any.save(folder / "plain", loader);
  saving = any.save_in_background(folder / "background", loader);
  for (auto& [x, y] : loader) any.step(x, y);
  saving.wait();
  CHECK(io::read_file(folder / "plain") == io::read_file(folder / "background"));
}

TEST_CASE("saving: what cannot be written is an Error where it is waited for, and never lost") {
  const ScratchFolder folder;
  auto trainer = make(optim::SGD{.lr = 0.1f});
  Saving saving = trainer.save_in_background(folder / "no/such/folder");
  CHECK(error_id([&] { saving.wait(); }) == "file/create");
  saving.wait();  // told once
  saving = trainer.save_in_background(folder / "no/such/folder");
  CHECK(error_id([&] { saving = trainer.save_in_background(folder / "good"); }) == "file/create");
  saving.wait();
  // of several files, too, the one behind a failure is whole
  saving = trainer.save_in_background(folder / "no/such/folder");
  CHECK(error_id([&] { saving = trainer.save_in_background(folder / "many.safetensors.index.json"); }) ==
        "file/create");
  saving.wait();
  CHECK(error_id([&] { trainer.load(folder / "many.safetensors.index.json"); }) == "no error");
  CHECK(error_id([&] {
          const Saving passed = trainer.save_in_background(folder / "passed.safetensors.index.json");
          throw Error("test/error", "passes through");
        }) == "test/error");
  CHECK(error_id([&] { trainer.load(folder / "passed.safetensors.index.json"); }) == "no error");
  CHECK(error_id([&] { trainer.model().save(folder / "model.safetensors.index.json"); }) ==
        "safetensors/bad-index");
  CHECK(error_id([&] { trainer.save(folder / "no/such/folder"); }) == "file/create");
  const auto abandon = [&] { const Saving unasked = trainer.save_in_background(folder / "no/such/folder"); };
  CHECK(said(folder, abandon).starts_with("weft: a checkpoint was not saved: file/create"));
}
