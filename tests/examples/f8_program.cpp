// The program of docs/training.md, "Products in 8 bits".

#include <cstdio>
#include <string_view>
#include <vector>
#include <weft/weft.hpp>

using namespace weft;

// [net]
struct Block {
  nn::LayerNorm<32> ln;
  nn::Linear<32, 64> up;
  nn::Linear<64, 32> down;
  constexpr auto operator()(auto x) const { return x + down(gelu(up(ln(x)))); }
};
struct Net {
  nn::Linear<8, 32> in;    // the first layer
  nn::Stack<Block, 4> h;   // a scale of its own for every tensor of every block
  nn::Linear<32, 4> head;  // the last
  constexpr auto operator()(auto x) const { return head(h(in(x))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
// [/net]

void eight_bits() {
  // [f8]
  // the products with up.weight and down.weight, forward and backward
  auto trainer = make_trainer<Net>(Cpu{1}, loss, in<f32, 16, 8>, in<f32, 16, 4>, optim::AdamW{.lr = 1e-2f},
                                   precision::f8, seed{1});
  // parameters that a predicate names, half of each format's range, the largest of the last 4 steps
  constexpr auto lowered = [](std::string_view name, const Dims&) { return name.ends_with("up.weight"); };
  auto other = make_trainer<Net>(
      Cpu{1}, loss, in<f32, 16, 8>, in<f32, 16, 4>, optim::AdamW{.lr = 1e-2f},
      precision::f8_with<precision::DelayedScaling{.history = 4, .margin = 1}, lowered>, seed{1});
  // [/f8]
  const std::vector<f32> x(16 * 8, 0.5f), y(16 * 4, 0.25f);
  f32 last = 0;
  for (int step = 0; step < 40; ++step) {
    other.step(x, y);
    last = trainer.step(x, y);
  }
  std::printf("learnt: %s, %s\n", last < 0.01f ? "yes" : "no",
              static_cast<f32>(other.step(x, y)) < 0.01f ? "yes" : "no");
}

int main() { eight_bits(); }
// prints: learnt: yes, yes
