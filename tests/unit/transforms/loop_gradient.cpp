// What the blocks of a Stack keep for their gradients, beside the same blocks in an array; the values are
// those of tests/unit/train/stack.cpp and tests/unit/ops/transform/loop.cpp.
#include "weft/transforms/loop_gradient.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "../io/scratch.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 256> up{};
  nn::Linear<256, 64> down{};
  constexpr auto operator()(auto x) const { return x + down(gelu(up(x))); }
};
// A residual that the second norm reads: its product has no bias, and is summed in f32.
struct Normed {
  nn::LayerNorm<64> norm1{};
  nn::Linear<64, 64, false> mix{};
  nn::LayerNorm<64> norm2{};
  nn::Linear<64, 96> up{};
  nn::Linear<96, 64> down{};
  constexpr auto operator()(auto x) const {
    const auto y = x + mix(norm1(x));
    return y + down(gelu(up(norm2(y))));
  }
};
template <class Blocks>
struct Net {
  nn::Linear<8, 64> in{};
  Blocks h{};
  nn::Linear<64, 5> head{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) {
  auto z = m.in(x);
  if constexpr (nn::is_stack<std::remove_cvref_t<decltype(m.h)>>)
    z.value = m.h(z).value;
  else
    for (const auto& block : m.h) z.value = block(z).value;
  return cross_entropy(m.head(z), y);
};
template <class Blocks, class... O>
constexpr const auto& plan =
    exec::Compiled<train::compiled_step<Net<Blocks>, decltype(loss), train::Options<optim::SGD, O...>, true,
                                        Input<f32, Shape<256, 8>>, Input<i32, Shape<256>>>>::header;
template <class... O>
f64 workspace_ratio() {
  return static_cast<f64>(plan<nn::Stack<Mlp, 8>, O...>.workspace_bytes) /
         static_cast<f64>(plan<std::array<Mlp, 8>, O...>.workspace_bytes);
}

}  // namespace

TEST_CASE(
    "loop_gradient: a Stack's step takes the memory of the unrolled one, with products of 16 bits too") {
  CHECK(workspace_ratio<>() < 1.05);
  CHECK(workspace_ratio<precision::BF16>() < 1.25);
  CHECK(workspace_ratio<precision::F16>() < 1.25);
}

namespace {

// The losses of some steps from the parameters of a file.
template <class Blocks>
std::vector<f32> losses(const std::string& path) {
  auto trainer = make_trainer<Net<Blocks>>(Cpu{1}, loss, in<f32, 64, 8>, in<i32, 64>, optim::SGD{.lr = 0.1f},
                                           precision::bf16, seed{3});
  trainer.model().load(path);
  std::vector<f32> x(512), all;
  std::vector<i32> y(64);
  for (int i = 0; i < 512; ++i) x[static_cast<std::size_t>(i)] = static_cast<f32>(i * 37 % 101) / 50 - 1;
  for (int i = 0; i < 64; ++i) y[static_cast<std::size_t>(i)] = i * 7 % 5;
  for (int step = 0; step < 5; ++step) all.push_back(trainer.step(x, y).value());
  return all;
}

}  // namespace

TEST_CASE("loop_gradient: a product that is added to a residual is summed in f32 in a Stack, too") {
  const ScratchFolder folder;
  const std::string path = folder / "start.safetensors";
  Model<Net<std::array<Normed, 3>>>(Cpu{}, seed{5}).save(path);
  const std::vector<f32> unrolled = losses<std::array<Normed, 3>>(path);
  CHECK(unrolled.back() < unrolled.front());
  CHECK(losses<nn::Stack<Normed, 3>>(path) == unrolled);
}
