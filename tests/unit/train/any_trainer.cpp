#include "weft/train/any_trainer.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <vector>

#include "../io/scratch.hpp"
#include "weft/data/loader.hpp"
#include "weft/data/stream.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

auto make() {
  return make_trainer<nn::Linear<2, 1>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 4, 2>, in<f32, 4, 1>,
      optim::SGD{.lr = 0.05f}, seed{3});
}
using Any = AnyTrainer<Tensor<f32, Shape<4, 2>>, Tensor<f32, Shape<4, 1>>>;

const std::vector<f32> x{1, 2, -1, 0.5f, 3, 1, 0, 1}, y{5, 0, 5, 2};

}  // namespace

TEST_CASE("any_trainer: the same losses as the trainer it holds, from a value and built in place") {
  auto plain = make();
  Any moved = make(), built([] { return make(); });
  for (int i = 0; i < 5; ++i) {
    const f32 wanted = plain.step(x, y);
    CHECK(moved.step(x, y).value() == wanted);
    CHECK(static_cast<f32>(built.step(x.data(), y.data())) == wanted);
  }
  CHECK(moved.steps() == 5);
  CHECK(moved.state_bytes() == plain.state_bytes());
  CHECK(moved.workspace_bytes() == plain.workspace_bytes());
  moved.set_lr(0);
  CHECK(moved.lr() == 0);
  const f32 still = moved.step(x, y);
  CHECK(static_cast<f32>(moved.step(x, y)) == still);
}

TEST_CASE("any_trainer: the last 64 losses are kept, older ones are an error") {
  Any trainer = make();
  const auto first = trainer.step(x, y);
  const f32 value = first;
  for (int i = 0; i < 63; ++i) trainer.step(x, y);
  CHECK(first.value() == value);
  CHECK(first.item<double>() == double{value});
  trainer.step(x, y);
  try {
    first.value();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.id() == "train/old-loss");
  }
}

TEST_CASE("any_trainer: stops and resumes with a loader's position, and refuses what its trainer refuses") {
  const ScratchFolder folder;
  const std::string path = folder / "c";
  const data::Arrays<f32> rows({std::vector<f32>(16), {2}});
  auto there = data::loader<4>(rows), here = data::loader<4>(rows);
  Any a = make(), b = make();
  a.step(x, y);
  there.seek({2, 1});
  a.save(path, there);
  CHECK(b.load(path, here).text() == "continues");
  CHECK(here.position() == data::Position{2, 1});
  CHECK(b.steps() == 1);
  b.save_model(path);
  CHECK(error_id([&] { b.load(path); }) == "train/no-checkpoint");
  a.save(path);
  CHECK(error_id([&] { b.load(path, here); }) == "train/no-checkpoint");
  CHECK(b.steps() == 1);
}

TEST_CASE("any_trainer: any loader's position goes with a checkpoint, and its seed where it has one") {
  const ScratchFolder folder;
  const data::Arrays<f32> rows({std::vector<f32>(32), {2}});
  auto shuffled = data::loader<4>(rows, {.shuffle = true}), other = data::loader<4>(rows, {.shuffle = true});
  const auto stream = data::from_generator([](i64) {
    return [left = 16]() mutable -> std::optional<std::tuple<f32>> {
      if (left-- == 0) return std::nullopt;
      return std::tuple{1.0f};
    };
  });
  auto front_to_back = data::loader<4>(stream);
  Any a = make(), b = make();
  shuffled.seek({1, 2});
  a.save(folder / "c", shuffled);
  b.load(folder / "c", other);
  CHECK(other.position() == data::Position{1, 2});
  CHECK(other.seed() == shuffled.seed());
  b.load(folder / "c", front_to_back);
  CHECK(front_to_back.position() == data::Position{1, 2});
}

TEST_CASE("any_trainer: stops and resumes") {
  const char* path = "any_trainer_test.safetensors";
  Any a = make(), b = make();
  for (int i = 0; i < 3; ++i) a.step(x, y);
  a.save(path);
  b.load(path);
  CHECK(b.steps() == 3);
  CHECK(b.step(x, y).value() == a.step(x, y).value());
  a.save_model(path);
  b.load_model(path);
  CHECK(b.step(x, y).value() == a.step(x, y).value());
  std::remove(path);
}

TEST_CASE("any_trainer: its inputs are those of the trainer, where none are written") {
  AnyTrainer any = make();
  static_assert(std::is_same_v<decltype(any), Any>);
  any.step(x, y);
  AnyTrainer moved = std::move(any);
  static_assert(std::is_same_v<decltype(moved), Any>);
  CHECK(moved.steps() == 1);
}
