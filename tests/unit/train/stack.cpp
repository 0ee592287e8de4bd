// Training of models with a Stack of blocks beside the same model with an array of them: the same losses and
// the same state, bit for bit, whatever updates it.

#include "weft/nn/stack.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "support/same_state.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace test_support;

namespace {

struct Block {
  nn::LayerNorm<16> ln;
  nn::Linear<16, 16> fc, out;
  constexpr auto operator()(auto x) const { return x + out(gelu(fc(ln(x)))); }
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

struct Dropping {
  nn::Linear<16, 16> fc;
  nn::Dropout drop{.p = 0.3f};
  constexpr auto operator()(auto x) const { return x + drop(gelu(fc(x))); }
};
struct DroppingNet {
  nn::Linear<8, 16> in;
  nn::Stack<Dropping, 3> h;
  nn::Linear<16, 4> head;
  constexpr auto operator()(auto x) const { return head(h(in(x))); }
};

struct Mask {
  nn::Dropout drop{.p = 0.3f};
  constexpr auto operator()(auto x) const { return drop(x); }
};
struct Masked {
  nn::Stack<Mask, 4> h;
};

constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };

struct Batch {
  std::vector<float> x, y;
  explicit Batch(int t) {
    for (int i = 0; i < 256; ++i) x.push_back(std::sin(0.7f * static_cast<float>(i) + static_cast<float>(t)));
    for (int i = 0; i < 128; ++i) y.push_back(std::cos(0.3f * static_cast<float>(i) + static_cast<float>(t)));
  }
};

template <class M, class... O>
auto trainer_of(u64 number, const O&... options) {
  return make_trainer(Model<M>(Cpu{}, number), loss, in<f32, 32, 8>, in<f32, 32, 4>, options..., seed{3});
}

// Five steps of both, then a checkpoint of one that the other continues from.
template <class... O>
void check_same(const O&... options) {
  auto u = trainer_of<Unrolled>(1, options...);
  auto s = trainer_of<Stacked>(2, options...);
  copy_state(u.model(), s.model());
  for (int t = 0; t < 5; ++t) {
    const Batch batch(t);
    CHECK(static_cast<float>(u.step(batch.x, batch.y)) == static_cast<float>(s.step(batch.x, batch.y)));
  }
  CHECK(different_state(u.model(), s.model()) == "");
  const ScratchFolder folder;
  const std::string path = folder / "stack", other = folder / "unrolled";
  s.save(path);
  u.save(other);
  CHECK(different_tensors(path, other) == "");  // moments too
  auto continued = trainer_of<Unrolled>(4, options...);
  CHECK(continued.load(path).notes.empty());
  const Batch batch(5);
  CHECK(static_cast<float>(continued.step(batch.x, batch.y)) == static_cast<float>(s.step(batch.x, batch.y)));
}

constexpr auto second_block = [](std::string_view name, const Dims&) { return name.starts_with("h.1."); };
constexpr auto slower = [](auto& o) { o.lr = o.lr * 0.1f; };
constexpr auto later_matrices = [](std::string_view name, const Dims& d) {
  return d.rank == 2 &&
         (name.find(".1.") != std::string_view::npos || name.find(".2.") != std::string_view::npos);
};

}  // namespace

TEST_CASE("stack: training has the bits of the unrolled model") {
  check_same(optim::SGD{.lr = 0.1f, .momentum = 0.9f});
  check_same(optim::groups(optim::no_decay(is_vector), optim::AdamW{.lr = 1e-2f}));
}

TEST_CASE("stack: parameter groups tell blocks apart") {
  check_same(optim::groups(optim::rule(second_block, slower), optim::AdamW{.lr = 1e-2f}));
}

TEST_CASE("stack: optimisers of whole tensors work on each block's") {
  check_same(optim::groups(optim::elementwise(later_matrices), optim::Muon{.lr = 1e-2f}));
}

TEST_CASE("stack: accumulation and clipping by value") {
  check_same(optim::AdamW{.lr = 1e-2f}, accumulate<2>, clip::value(1e-3f));
}

TEST_CASE("stack: frozen parameters, of some blocks or of all") {
  check_same(
      optim::groups(optim::frozen(second_block), optim::no_decay(is_vector), optim::AdamW{.lr = 1e-2f}));
  check_same(optim::groups(optim::frozen(later_matrices), optim::Muon{.lr = 1e-2f}));
  auto trainer = trainer_of<Stacked>(
      1, optim::groups(optim::frozen(second_block), optim::ema(optim::AdamW{.lr = 1e-2f}, 0.9f)),
      clip::norm(0.5f));
  const auto before = trainer.model().get<"h.1.fc.weight">().to_vector(),
             other = trainer.model().get<"h.2.fc.weight">().to_vector();
  const Batch batch(0);
  trainer.step(batch.x, batch.y);
  trainer.step(batch.x, batch.y);
  CHECK(trainer.model().get<"h.1.fc.weight">().to_vector() == before);
  CHECK(trainer.model().get<"h.2.fc.weight">().to_vector() != other);
  auto averaged = trainer.average();
  CHECK(averaged.get<"h.1.fc.weight">().to_vector() == before);

  // their gradients have no part in the norm
  const auto all = [](std::string_view name, const Dims&) { return !name.starts_with("head."); };
  auto head =
      trainer_of<Stacked>(1, optim::groups(optim::frozen(all), optim::SGD{.lr = 0}), clip::norm(1e9f));
  auto whole = trainer_of<Stacked>(1, optim::SGD{.lr = 0}, clip::norm(1e9f));
  head.step(batch.x, batch.y);
  whole.step(batch.x, batch.y);
  CHECK(head.gradient_norm() > 0);
  CHECK(head.gradient_norm() < 0.9f * whole.gradient_norm());
}

// Sums over all parameters, and over each, are made in the order in which they lie in memory.
template <class... O>
void check_near(double rounding, const O&... options) {
  auto u = trainer_of<Unrolled>(1, options...);
  auto s = trainer_of<Stacked>(2, options...);
  copy_state(u.model(), s.model());
  for (int t = 0; t < 5; ++t) {
    const Batch batch(t);
    const float a = u.step(batch.x, batch.y), b = s.step(batch.x, batch.y);
    CHECK(b == doctest::Approx(a).epsilon(rounding));
  }
}
TEST_CASE("stack: clipping by the norm, Adafactor, bf16 and f16 to rounding") {
  check_near(1e-5, optim::AdamW{.lr = 1e-2f}, clip::norm(0.1f));
  check_near(1e-5, optim::Adafactor{});
  check_near(2e-2, optim::AdamW{.lr = 1e-3f}, precision::bf16);
  check_near(2e-2, optim::AdamW{.lr = 1e-3f}, precision::f16);
}

TEST_CASE("stack: dropout draws the same in the backward pass, and where a run is continued") {
  auto whole = trainer_of<DroppingNet>(5, optim::AdamW{.lr = 1e-2f});
  auto first = trainer_of<DroppingNet>(5, optim::AdamW{.lr = 1e-2f});
  const ScratchFolder folder;
  for (int t = 0; t < 2; ++t) {
    const Batch batch(t);
    whole.step(batch.x, batch.y);
    first.step(batch.x, batch.y);
  }
  first.save(folder / "first");
  auto second = trainer_of<DroppingNet>(6, optim::AdamW{.lr = 1e-2f});
  second.load(folder / "first");
  for (int t = 2; t < 4; ++t) {
    const Batch batch(t);
    CHECK(static_cast<float>(whole.step(batch.x, batch.y)) ==
          static_cast<float>(second.step(batch.x, batch.y)));
  }
  CHECK(different_state(whole.model(), second.model()) == "");

  // with y = h(1), the product of the masks, the gradient of y^2 / 2 at 1 is y^2
  Model<Masked> model(Cpu{}, 7);
  auto f = compile(
      model,
      [](const auto& m, auto x) {
        return value_and_grad([&](auto a) { return 0.5f * sum<>(square(m.h(a))); })(x);
      },
      in<f32, 16, 64>, mode::train, seed{9});
  const auto [value, slope] = f(std::vector<float>(1024, 1));
  double sum = 0;
  for (const float g : slope) sum += g;
  CHECK(value.item() > 0);
  CHECK(sum == doctest::Approx(2 * value.item()).epsilon(1e-5));
}

TEST_CASE("stack: runs on Interpreter{}") {
  auto cpu = trainer_of<Stacked>(8, optim::AdamW{.lr = 1e-2f});
  auto seen = make_trainer(Model<Stacked, Interpreter>(Interpreter{}, 8), loss, in<f32, 32, 8>,
                           in<f32, 32, 4>, optim::AdamW{.lr = 1e-2f}, seed{3});
  for (int t = 0; t < 3; ++t) {
    const Batch batch(t);
    const float a = cpu.step(batch.x, batch.y), b = seen.step(batch.x, batch.y);
    CHECK(b == doctest::Approx(a).epsilon(1e-5));
  }
}
