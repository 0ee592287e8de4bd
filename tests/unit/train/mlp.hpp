#pragma once
// The Mlp of tests/parity/generate_nn.py.

#include <array>

#include "weft/nn/activation.hpp"
#include "weft/nn/container.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/norm.hpp"

namespace train_test {

using namespace weft;

struct Block {
  nn::LayerNorm<16> norm{};
  nn::Linear<16, 16> fc{};
  constexpr auto operator()(auto x) const { return x + gelu(fc(norm(x))); }
};
struct Mlp {
  nn::Linear<6, 16> fc1{};
  std::array<Block, 2> h{};
  nn::Sequential<nn::ReLU, nn::Linear<16, 4, false>> tail{};
  constexpr auto operator()(auto input) const {
    auto x = fc1(input);
    for (const auto& block : h) x = block(x);
    return tail(x);
  }
};

}  // namespace train_test
