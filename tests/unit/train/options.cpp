#include "weft/train/options.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "../io/scratch.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<3, 2> fc{};
};
constexpr auto objective = [](const auto& m, auto x, auto y) { return mse_loss(m.fc(x), y); };
const std::vector<float> x{1, 2, 3, -1, 0, 2, 4, 4, 1, 0, 1, 0}, y{1, 0, 0, 1, 2, 2, -1, 3};

template <class... O>
std::vector<float> weights_after(O... options) {
  auto trainer = make_trainer<Net>(Cpu{1}, objective, in<f32, 4, 3>, in<f32, 4, 2>, options...);
  for (int step = 0; step < 6; ++step) trainer.step(x, y);
  return trainer.model().template get<"fc.weight">().to_vector();
}

}  // namespace

TEST_CASE("options: each kind is found wherever it stands, and has a default") {
  using O = train::Options<seed, Accumulate<3>, optim::Adam, clip::Value, mode::Eval>;
  static_assert(O::ok);
  static_assert(std::is_same_v<O::Optimizer::base, optim::Adam>);
  static_assert(std::is_same_v<O::Precision, precision::F32>);
  static_assert(std::is_same_v<O::Clip, clip::Value>);
  static_assert(O::Accumulation::count == 3);
  static_assert(!O::training);
  static_assert(train::Options<optim::SGD>::training);
  static_assert(train::Options<optim::SGD>::Accumulation::count == 1);
  static_assert(!train::Options<>::ok);
  static_assert(!train::Options<optim::SGD, optim::Adam>::ok);
  static_assert(!train::Options<optim::SGD, seed, seed>::ok);
  static_assert(!train::Options<optim::SGD, int>::ok);
}

TEST_CASE("options: their order changes nothing") {
  const auto one = weights_after(optim::SGD{.lr = 0.1f}, seed{4}, clip::norm(0.2f), accumulate<2>);
  const auto other = weights_after(accumulate<2>, clip::norm(0.2f), optim::SGD{.lr = 0.1f}, checkpoint::none,
                                   comm::none, seed{4});
  CHECK(one == other);
  CHECK(one != weights_after(optim::SGD{.lr = 0.1f}, seed{4}));
}

TEST_CASE("options: a batch of the wrong size is an Error that names both sizes") {
  auto trainer = make_trainer<Net>(Cpu{1}, objective, in<f32, 4, 3>, in<f32, 4, 2>, optim::SGD{});
  const std::vector<float> few(11);
  CHECK(error_id([&] { trainer.step(few, y); }) == "call/size");
  const std::string text = error_text([&] { trainer.step(few, y); });
  CHECK(text.find("12") != std::string::npos);
  CHECK(text.find("11") != std::string::npos);
  CHECK(trainer.steps() == 0);
}

TEST_CASE("options: a trainer works in the memory lent to it, and gives the results of one with its own") {
  const auto run = [](const lend& lent) {
    auto trainer = make_trainer<Net>(Cpu{1}, objective, in<f32, 4, 3>, in<f32, 4, 2>, optim::Adam{.lr = 0.1f},
                                     clip::norm(0.5f), accumulate<2>, seed{3}, lent);
    using T = decltype(trainer);
    static_assert(T::memory_bytes() >= T::workspace_bytes());
    static_assert(T::state_bytes() == Model<Net>::state_bytes() + T::optimizer_bytes());
    for (int step = 0; step < 6; ++step) trainer.step(x, y);
    return std::tuple{trainer.model().template get<"fc.weight">().to_vector(), T::memory_bytes(),
                      T::optimizer_bytes()};
  };
  const auto [expected, workspace, optimizer] = run(lend{});
  HostBuffer block(static_cast<std::size_t>(workspace + optimizer + 512));
  std::memset(block.data(), 0xa5, block.size());
  std::byte* const second = block.data() + (workspace + 255) / 256 * 256;
  const auto [weights, w, o] = run({.workspace = block.data(), .optimizer = second});
  CHECK(weights == expected);
  CHECK(error_id([&] { run({.optimizer = second + 4}); }) == "cpu/misaligned");
  for (std::byte* end : {second + optimizer, block.data() + workspace})  // nothing behind what was lent
    for (std::byte* at = end; at < end + 16 && at != second; ++at) CHECK(*at == std::byte{0xa5});
}

TEST_CASE("options: make_trainer takes over a model and trains on from its values") {
  Model<Net> model(Cpu{1}, 9);
  const auto start = get<"fc.weight">(model).to_vector();
  auto still =
      make_trainer(std::move(model), objective, in<f32, 4, 3>, in<f32, 4, 2>, optim::SGD{.lr = 0.0f});
  still.step(x, y);
  CHECK(still.model().get<"fc.weight">().to_vector() == start);
  auto same =
      make_trainer(Model<Net>(Cpu{1}, 9), objective, in<f32, 4, 3>, in<f32, 4, 2>, optim::SGD{.lr = 0.1f});
  for (int step = 0; step < 6; ++step) same.step(x, y);
  CHECK(same.model().get<"fc.weight">().to_vector() == weights_after(optim::SGD{.lr = 0.1f}, seed{9}));
}

TEST_CASE("options: precision::tf32 marks the products of a step and changes no bit of one on the host") {
  auto trainer = make_trainer<Net>(Cpu{1}, objective, in<f32, 4, 3>, in<f32, 4, 2>, optim::SGD{.lr = 0.1f},
                                   precision::tf32);
  CHECK(trainer.explain().find("by tf32") != std::string::npos);
  CHECK(weights_after(optim::SGD{.lr = 0.1f}, precision::tf32, seed{3}) ==
        weights_after(optim::SGD{.lr = 0.1f}, seed{3}));
}
