// Training with precision::f8: the values of a reference that rounds where it rounds, and the state that
// makes them go on.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint.hpp"
#include "support/same_state.hpp"
#include "weft/interpreter.hpp"
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
  auto trainer =
      make_trainer<Gated>(Cpu{1}, squares, in<f32, 12, 8>, in<f32, 12, 4>, optim::PlainSGD{.lr = 0.03125f},
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
  auto whole = trainer_of<M>(options...), first = trainer_of<M>(options...),
       second = trainer_of<M>(options...);
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
  auto trainer =
      make_trainer<One>(Cpu{1}, squares, in<f32, 3, 4>, in<f32, 3, 4>, optim::PlainSGD{.lr = 1e-3f},
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

namespace {

struct Outer {
  nn::Stack<Block, 2> inner;
  nn::Linear<16, 16> p;
  constexpr auto operator()(auto x) const { return p(inner(x)); }
};
struct Nested {
  nn::Linear<8, 16> in;
  nn::Stack<Outer, 3> h;
  nn::Linear<16, 4> head;
  constexpr auto operator()(auto x) const { return head(h(in(x))); }
};
struct OuterUnrolled {
  std::array<Block, 2> inner;
  nn::Linear<16, 16> p;
  constexpr auto operator()(auto x) const { return p(inner[1](inner[0](x))); }
};
struct NestedUnrolled {
  nn::Linear<8, 16> in;
  std::array<OuterUnrolled, 3> h;
  nn::Linear<16, 4> head;
  constexpr auto operator()(auto x) const { return head(h[2](h[1](h[0](in(x))))); }
};

}  // namespace

TEST_CASE("f8: what a Stack of Stacks saves goes on as arrays of arrays, under a budget too") {
  const ScratchFolder folder;
  auto stacks = trainer_of<Nested>(optim::AdamW{.lr = 1e-3f}, precision::f8, mode::eval);
  losses(stacks, 0, 4);
  stacks.save(folder / "stacks");
  auto arrays = trainer_of<NestedUnrolled>(optim::AdamW{.lr = 1e-3f}, precision::f8, mode::eval);
  auto budgeted =
      trainer_of<NestedUnrolled>(optim::AdamW{.lr = 1e-3f}, precision::f8, mode::eval,
                                 checkpoint::budget<decltype(arrays)::workspace_bytes() * 9 / 10>);
  CHECK(arrays.load(folder / "stacks").notes.empty());
  CHECK(budgeted.load(folder / "stacks").notes.empty());
  const std::vector<float> a = losses(stacks, 4, 8), b = losses(arrays, 4, 8);
  for (std::size_t t = 0; t < a.size(); ++t) CHECK(b[t] == doctest::Approx(a[t]).epsilon(1e-2));
  CHECK(losses(budgeted, 4, 8) == b);
}

TEST_CASE("f8: the interpreter, which evaluates node by node, follows") {
  const auto make = [](auto device) {
    return make_trainer<Stacked>(device, squares, in<f32, 16, 8>, in<f32, 16, 4>, seed{3},
                                 optim::AdamW{.lr = 1e-3f}, precision::f8, mode::eval);
  };
  auto cpu = make(Cpu{1});
  auto plain = make(Interpreter{});
  const std::vector<float> a = losses(cpu, 0, 4), b = losses(plain, 0, 4);
  for (std::size_t t = 0; t < a.size(); ++t) CHECK(b[t] == doctest::Approx(a[t]).epsilon(1e-3));
}

namespace {

// One layer in two places: small whole numbers go through every rounding as they are.
struct Twice {
  nn::Linear<4, 4, false> first, b, last;
  constexpr auto operator()(auto x) const { return last(b(b(first(x)))); }
};
struct Halved {
  nn::Linear<4, 4, false> b;
  constexpr auto operator()(auto x) const { return b(x); }
};
struct TwiceInStack {
  nn::Linear<4, 4, false> first;
  nn::Stack<Halved, 2> h;
  nn::Linear<4, 4, false> last;
  constexpr auto operator()(auto x) const { return last(h(h(first(x)))); }
};
constexpr auto weighted = [](const auto& m, auto x, auto t) { return sum<>(m(x) * t); };

// The first step, at scales of 1; the names of parameters that are not those of f32.
template <class M>
std::string different_from_f32(int scales) {
  auto exact = make_trainer<M>(Cpu{1}, weighted, in<f32, 2, 4>, in<f32, 2, 4>, optim::PlainSGD{.lr = 1},
                               precision::f32);
  auto rounds = make_trainer<M>(Cpu{1}, weighted, in<f32, 2, 4>, in<f32, 2, 4>, optim::PlainSGD{.lr = 1},
                                precision::f8);
  const ScratchFolder folder;
  exact.model().save(folder / "start");
  const io::Safetensors file(folder / "start");
  std::vector<std::vector<float>> values;
  std::vector<io::SafetensorsTensor> whole;
  for (const auto& entry : file.entries()) {
    std::vector<float> w(16, 0.0f);
    const std::size_t k = values.size();
    for (std::size_t i = 0; i < 4; ++i) w[4 * i + (i + k + 1) % 4] = i % 2 == 0 ? 1.0f : -1.0f;
    w[k % 16] += 1;
    values.push_back(w);
    whole.push_back({entry.name, entry.dtype, entry.shape, nullptr});
  }
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k].data = values[k].data();
  io::write_safetensors(folder / "whole", whole, {});
  exact.model().load(folder / "whole");
  rounds.model().load(folder / "whole");
  const std::vector<float> x{1, 0, -1, 0, 0, 1, 0, 0}, t{1, 0, 0, -1, 0, 0, 1, 0};
  CHECK(static_cast<float>(exact.step(x, t)) == static_cast<float>(rounds.step(x, t)));
  rounds.save(folder / "after");
  const io::Safetensors after(folder / "after");
  for (const auto& entry : after.entries()) scales -= entry.name.starts_with("f8.scale.");
  CHECK(scales == 0);
  return different_state(exact.model(), rounds.model());
}

}  // namespace

TEST_CASE("f8: a layer in two places has the sum of both gradients, and one scale of its weight") {
  CHECK(different_from_f32<Twice>(5) == "");
  CHECK(different_from_f32<TwiceInStack>(12) == "");
}

TEST_CASE("f8: the calls of an update have one scale, and it remembers the largest magnitude of them") {
  const ScratchFolder folder;
  const std::string path = folder / "one", older = folder / "older";
  const auto make = [] {
    return make_trainer<One>(Cpu{1}, squares, in<f32, 3, 4>, in<f32, 3, 4>, optim::PlainSGD{.lr = 0},
                             accumulate<3>, precision::f8_with<DelayedScaling{.history = 4}, each_one>);
  };
  auto trainer = make();
  const auto step = [](auto& t, float x) { t.step(std::vector<float>(12, x), std::vector<float>(12, 1.0f)); };
  const auto state = [&](auto& t, const std::string& what) {
    t.save(path);
    return numbers(io::Safetensors(path), "f8." + what + ".input.b.weight");
  };
  for (const float x : {2.0f, 3.0f}) step(trainer, x);
  CHECK(state(trainer, "scale")[0] == 1);
  CHECK(state(trainer, "magnitudes") == std::vector<float>(4, 0.0f));
  step(trainer, -1);
  CHECK(state(trainer, "scale")[0] == 448.0f / 3);
  CHECK(state(trainer, "magnitudes") == std::vector<float>{3, 0, 0, 0});
  CHECK(state(trainer, "gathered")[0] == 0);
  for (const float x : {5.0f, 4.0f}) step(trainer, x);
  CHECK(state(trainer, "scale")[0] == 448.0f / 3);
  CHECK(state(trainer, "gathered")[0] == 5);

  // files of before lack what has been gathered
  trainer.save(path);
  const io::Safetensors file(path);
  std::vector<io::SafetensorsTensor> tensors;
  for (const auto& entry : file.entries())
    if (!entry.name.starts_with("f8.gathered."))
      tensors.push_back({entry.name, entry.dtype, entry.shape, entry.data});
  io::write_safetensors(older, tensors, file.metadata());
  auto second = make();
  CHECK(second.load(older).notes.empty());
  CHECK(state(second, "scale")[0] == 448.0f / 3);
  CHECK(state(second, "gathered")[0] == 0);

  for (auto* t : {&trainer, &second}) step(*t, 0.5f);
  CHECK(state(trainer, "magnitudes") == std::vector<float>{5, 3, 0, 0});
  CHECK(state(second, "magnitudes") == std::vector<float>{0.5f, 3, 0, 0});
}

TEST_CASE("f8: checkpoints of other precisions are taken, the scales start anew; damaged ones are refused") {
  const ScratchFolder folder;
  const std::string bf16 = folder / "bf16", f8 = folder / "f8", changed = folder / "changed";
  auto first = trainer_of<Stacked>(optim::AdamW{.lr = 1e-2f}, precision::bf16);
  auto second = trainer_of<Stacked>(optim::AdamW{.lr = 1e-2f}, precision::f8);
  losses(first, 0, 3);
  losses(second, 0, 3);
  first.save(bf16);
  second.save(f8);
  CHECK(second.load(bf16).text().find("the scales of f8 start anew") != std::string::npos);
  CHECK(different_state(first.model(), second.model()) == "");
  second.save(changed);
  CHECK(numbers(io::Safetensors(changed), "f8.scale.input.h.1.up.weight")[0] == 1);
  CHECK(numbers(io::Safetensors(changed), "f8.magnitudes.input.h.1.up.weight") ==
        std::vector<float>(16, 0.0f));
  CHECK(first.load(f8).text().find("the checkpoint is of precision f8, this trainer of bf16") !=
        std::string::npos);
  const auto refusal = [&](const std::string& path) {
    try {
      second.load(path);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  edit(f8, changed, {.tensors = {scalar("f8.scale.weight.h.2.down.weight", -1.0f)}});
  CHECK(refusal(changed).find("a scale of f8 is -1.0") != std::string::npos);
  std::vector<u8> magnitudes(64, 0xff);
  edit(f8, changed, {.tensors = {{"f8.magnitudes.gradient.h.0.up.weight", magnitudes}}});
  CHECK(refusal(changed).find("a magnitude of f8 is") != std::string::npos);
  auto longer =
      trainer_of<Stacked>(optim::AdamW{.lr = 1e-2f}, precision::f8_with<DelayedScaling{.history = 17}>);
  CHECK_THROWS_AS(longer.load(f8), Error);
}

TEST_CASE("f8: the block of the optimiser can be lent, and says its size") {
  using Trainer = decltype(trainer_of<Stacked>(optim::PlainSGD{.lr = 0.1f}, precision::f8));
  using Other = decltype(trainer_of<Stacked>(optim::PlainSGD{.lr = 0.1f}, precision::bf16));
  // two products: input, weight and gradient of each, with 3 scales and 3 times 16 magnitudes
  CHECK(Trainer::optimizer_bytes() - Other::optimizer_bytes() == 6 * (64 + 192));
  struct alignas(256) Block256 {
    std::byte bytes[256];
  };
  std::vector<Block256> block(static_cast<std::size_t>(Trainer::optimizer_bytes()) / 256);
  auto lent =
      trainer_of<Stacked>(optim::PlainSGD{.lr = 0.1f}, precision::f8, lend{.optimizer = block.data()});
  auto own = trainer_of<Stacked>(optim::PlainSGD{.lr = 0.1f}, precision::f8);
  CHECK(losses(lent, 0, 3) == losses(own, 0, 3));
}
