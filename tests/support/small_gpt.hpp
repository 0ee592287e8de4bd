#pragma once
// A small Transformer to be trained on tokens, whose blocks are held in any way.

#include <array>
#include <vector>

#include "weft/weft.hpp"

namespace test_support::small_gpt {

using namespace weft;

inline constexpr i64 batch = 4, length = 64, width = 64, classes = 50;

struct Block {
  nn::LayerNorm<width> norm1;
  nn::Linear<width, 3 * width> qkv;
  nn::Linear<width, width> out;
  nn::Dropout drop{.p = 0.1f};
  nn::LayerNorm<width> norm2;
  nn::Linear<width, 4 * width> up;
  nn::Linear<4 * width, width> down;
  constexpr auto operator()(auto x) const {
    const auto [q, k, v] = chunk<3, -1>(qkv(norm1(x)));
    const auto heads = [](auto t) { return transpose<1, 2>(reshape<batch, length, 4, width / 4>(t)); };
    const auto mixed =
        scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(heads(q), heads(k), heads(v));
    const auto y = x + drop(out(reshape<batch, length, width>(transpose<1, 2>(mixed))));
    return y + down(gelu(up(norm2(y))));
  }
};
template <std::size_t N>
constexpr auto through(const std::array<Block, N>& blocks, auto x) {
  for (const Block& block : blocks) x = block(x);
  return x;
}
constexpr auto through(const auto& blocks, auto x) { return blocks(x); }

// `Blocks`: an array, a Stack or a Sequential of Block.
template <class Blocks>
struct Gpt {
  nn::Embedding<classes, width> wte;
  nn::Embedding<length, width> wpe;
  Blocks h;
  nn::LayerNorm<width> norm;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto tokens) const { return head(norm(through(h, wte(tokens) + wpe.weight))); }
};
inline constexpr auto next_token = [](const auto& m, auto x, auto y) {
  return cross_entropy(reshape<batch * length, classes>(m(x)), reshape<batch * length>(y));
};

template <class M, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<M>(Cpu{}, next_token, in<i32, batch, length>, in<i32, batch, length>,
                         optim::AdamW{.lr = 1e-2f}, seed{1}, options...);
}

// The losses of some steps.
template <class T>
std::vector<f32> losses(T& trainer) {
  std::vector<i32> x(batch * length), y(batch * length);
  std::vector<f32> all;
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<i32>((i * 7 + i / 5 + static_cast<std::size_t>(step)) % classes);
      y[i] = static_cast<i32>((i * 3) % classes);
    }
    all.push_back(trainer.step(x, y).value());
  }
  return all;
}
}  // namespace test_support::small_gpt
