// Training with precision::f8: the values of a reference that rounds where it rounds, and the state that makes
// them go on.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint.hpp"
#include "support/same_state.hpp"
#include "weft/nn/stack.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace test_support;
using checkpoint_test::edit;
using checkpoint_test::scalar;

namespace {

std::vector<float> numbers(const io::Safetensors& file, const std::string& name) {
  const auto& entry = file.at(name);
  const auto* data = reinterpret_cast<const float*>(entry.data);
  return {data, data + entry.bytes / 4};
}
// The largest difference, over the largest number.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double off = 0, most = 1e-30;
  CHECK(a.size() == b.size());
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    off = std::max(off, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    most = std::max(most, std::abs(static_cast<double>(b[i])));
  }
  return off / most;
}

// The network of tests/parity/generate_f8_training.py: b and c read one tensor, d is added to a residual.
struct Gated {
  nn::Linear<8, 16> first;
  nn::Linear<16, 16> b, c, d;
  nn::Linear<16, 4> last;
  constexpr auto operator()(auto x) const {
    const auto h = relu(first(x));
    return last(h + d(relu(b(h)) * c(h)));
  }
};
constexpr auto squares = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
using precision::DelayedScaling;

}  // namespace

TEST_CASE("f8: steps agree with PyTorch's conversions, and so do the scales that they leave") {
  const io::Safetensors file(repository_file("tests/parity/nn/f8_training.safetensors"));
  const ScratchFolder folder;
  const std::string path = folder / "step";
  auto trainer = make_trainer<Gated>(Cpu{1}, squares, in<f32, 12, 8>, in<f32, 12, 4>,
                                     optim::PlainSGD{.lr = 0.03125f},
                                     precision::f8_with<DelayedScaling{.history = 3, .margin = 1}>);
  trainer.model().load(repository_file("tests/parity/nn/f8_training.safetensors"),
                       {.strip_prefix = "start.", .allow = unexpected});
  int tensors = 0;
  for (int step = 0; step < 7; ++step) {
    const std::string at = std::to_string(step) + ".";
    const float loss = trainer.step(numbers(file, at + "x"), numbers(file, at + "y"));
    CHECK(loss == doctest::Approx(numbers(file, at + "loss")[0]).epsilon(1e-6));
    trainer.save(path);
    const io::Safetensors saved(path);
    for (const auto& entry : file.entries()) {
      if (!entry.name.starts_with(at) || entry.name.size() == at.size() + 1 || entry.name == at + "loss")
        continue;
      const std::string name = entry.name.substr(at.size());
      ++tensors;
      CHECK_MESSAGE(distance(numbers(saved, name), numbers(file, entry.name)) < 2e-6, entry.name);
    }
  }
  CHECK(tensors == 7 * (10 + 2 * 8));
}

namespace {

struct Block {
  nn::LayerNorm<16> ln;
  nn::Linear<16, 32> up;
  nn::Linear<32, 16> down;
  nn::Dropout drop{.p = 0.2f};
  constexpr auto operator()(auto x) const { return x + drop(down(gelu(up(ln(x))))); }
};
struct Unrolled {
  nn::Linear<8, 16> in;
  std::array<Block, 3> h;
  nn::Linear<16, 4> head;
  constexpr auto operator()(auto x) const {
    auto y = in(x);
    for (const Block& block : h) y.value = block(y).value;
    return head(y);
  }
};
struct Stacked {
  nn::Linear<8, 16> in;
  nn::Stack<Block, 3> h;
  nn::Linear<16, 4> head;
  constexpr auto operator()(auto x) const { return head(h(in(x))); }
};
struct Batch {
  std::vector<float> x, y;
  explicit Batch(int t) {
    for (int i = 0; i < 128; ++i) x.push_back(std::sin(0.7f * static_cast<float>(i) + static_cast<float>(t)));
    for (int i = 0; i < 64; ++i) y.push_back(std::cos(0.3f * static_cast<float>(i) + static_cast<float>(t)));
  }
};
template <class M, class... O>
auto trainer_of(const O&... options) {
  return make_trainer(Model<M>(Cpu{1}, 1), squares, in<f32, 16, 8>, in<f32, 16, 4>, seed{3}, options...);
}
template <class T>
std::vector<float> losses(T& trainer, int from, int to) {
  std::vector<float> all;
  for (int t = from; t < to; ++t) {
    const Batch batch(t);
    all.push_back(trainer.step(batch.x, batch.y));
  }
  return all;
}

// What is saved after some steps, and loaded into another trainer, goes on with the same bits.
template <class M, class... O>
void check_resumes(const O&... options) {
  const ScratchFolder folder;
  auto whole = trainer_of<M>(options...), first = trainer_of<M>(options...), second = trainer_of<M>(options...);
  losses(whole, 0, 5);
  losses(first, 0, 5);
  first.save(folder / "middle");
  CHECK(second.load(folder / "middle").text() == "continues");
  CHECK(losses(second, 5, 10) == losses(whole, 5, 10));
  whole.save(folder / "whole");
  second.save(folder / "second");
  CHECK(different_tensors(folder / "whole", folder / "second") == "");
}
template <class M, class... O>
void check_checkpoints(const O&... recomputing) {
  const ScratchFolder folder;
  auto keeps = trainer_of<M>(optim::AdamW{.lr = 1e-2f}, precision::f8);
  auto again = trainer_of<M>(optim::AdamW{.lr = 1e-2f}, precision::f8, recomputing...);
  CHECK(losses(keeps, 0, 6) == losses(again, 0, 6));
  keeps.save(folder / "keeps");
  again.save(folder / "again");
  CHECK(different_tensors(folder / "keeps", folder / "again") == "");
}

}  // namespace

TEST_CASE("f8: a run that is loaded goes on bit for bit, with the scales of every block") {
  check_resumes<Unrolled>(optim::AdamW{.lr = 1e-2f}, precision::f8);
  check_resumes<Stacked>(optim::AdamW{.lr = 1e-2f}, precision::f8_with<DelayedScaling{.history = 4}>,
                         accumulate<2>);
}

TEST_CASE("f8: blocks that are computed again have the same bits") {
  check_checkpoints<Unrolled>(checkpoint::blocks);
  check_checkpoints<Stacked>(checkpoint::blocks);
  check_checkpoints<Stacked>(checkpoint::dots);
}

TEST_CASE("f8: the blocks of a Stack have scales of their own, those of an array") {
  const ScratchFolder folder;
  auto array = trainer_of<Unrolled>(optim::AdamW{.lr = 1e-3f}, precision::f8, mode::eval);
  auto stack = trainer_of<Stacked>(optim::AdamW{.lr = 1e-3f}, precision::f8, mode::eval);
  copy_state(array.model(), stack.model());
  const std::vector<float> a = losses(array, 0, 6), b = losses(stack, 0, 6);
  for (std::size_t t = 0; t < a.size(); ++t) CHECK(b[t] == doctest::Approx(a[t]).epsilon(1e-2));
  array.save(folder / "array");
  stack.save(folder / "stack");
  const io::Safetensors one(folder / "array"), other(folder / "stack");
  int scales = 0;
  std::vector<float> of_down;
  for (const auto& entry : one.entries()) {
    if (!entry.name.starts_with("f8.")) continue;
    REQUIRE(other.find(entry.name) != nullptr);
    if (!entry.name.starts_with("f8.scale.")) continue;
    ++scales;
    const std::vector<float> x = numbers(one, entry.name), y = numbers(other, entry.name);
    CHECK_MESSAGE(std::abs(x[0] / y[0] - 1) < 0.05, entry.name);
    if (entry.name.starts_with("f8.scale.input.h.") && entry.name.ends_with("down.weight"))
      of_down.push_back(y[0]);
  }
  CHECK(scales == 3 * 2 * 3);
  REQUIRE(of_down.size() == 3);
  CHECK(of_down[0] != of_down[1]);
  CHECK(of_down[1] != of_down[2]);
}

namespace {

struct One {
  nn::Linear<4, 4> b;
  constexpr auto operator()(auto x) const { return b(x); }
};
constexpr auto each_one = [](std::string_view, const Dims&) { return true; };

}  // namespace

TEST_CASE("f8: the scale follows what is finite and not 0") {
  const ScratchFolder folder;
  const std::string path = folder / "one";
  auto trainer = make_trainer<One>(Cpu{1}, squares, in<f32, 3, 4>, in<f32, 3, 4>, optim::PlainSGD{.lr = 1e-3f},
                                   precision::f8_with<DelayedScaling{.history = 2}, each_one>, seed{1});
  struct State {
    std::vector<float> scale, magnitudes;
  };
  const auto state = [&](const std::string& role) {
    trainer.save(path);
    const io::Safetensors file(path);
    return State{numbers(file, "f8.scale." + role + ".b.weight"),
                 numbers(file, "f8.magnitudes." + role + ".b.weight")};
  };
  const auto after = [&](float x) {
    trainer.step(std::vector<float>(12, x), std::vector<float>(12, 1.0f));
    return state("input");
  };
  const auto is = [](const State& s, float scale, float newest, float older) {
    CHECK(s.scale[0] == scale);
    CHECK(s.magnitudes == std::vector<float>{newest, older});
  };
  is(state("input"), 1, 0, 0);
  is(after(0), 1, 0, 0);
  is(after(-2), 224, 2, 0);
  is(after(1), 224, 1, 2);
  is(after(0), 448, 0, 1);
  is(after(0), 448, 0, 0);
  is(after(1e-38f), std::ldexp(1.0f, 100), 1e-38f, 0);
  is(after(1e35f), std::ldexp(1.0f, -100), 1e35f, 1e-38f);
  is(after(7), std::ldexp(1.0f, -100), 7, 1e35f);
  is(after(7), 64, 7, 7);
  const State weight = state("weight"), gradient = state("gradient");
  CHECK(gradient.scale[0] == 57344 / std::max(gradient.magnitudes[0], gradient.magnitudes[1]));
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  is(after(nan), 64, 7, 7);
  CHECK(state("gradient").scale == gradient.scale);
  CHECK(state("gradient").magnitudes == gradient.magnitudes);
  is(after(-infinity), 64, 7, 7);  // by now the weights are NaN, too
  CHECK(state("weight").scale[0] > 0);
  CHECK(std::isfinite(state("weight").magnitudes[0]));
  is(after(14), 32, 14, 7);
}
