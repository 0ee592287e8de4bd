// wrote: nn::MSELoss crit; as a member, and crit(net(x), y)
// write: mse_loss(net(x), y)
// expect: MSELoss
// first-error: losses are functions: write cross_entropy(logits, labels), mse_loss(x, y)
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc;
#ifndef WEFT_FIXED
  nn::MSELoss crit;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{1},
      [](const auto& net, auto x, auto y) {
#ifdef WEFT_FIXED
        return mse_loss(net(x), y);
#else
        return net.crit(net(x), y);
#endif
      },
      in<f32, 3, 4>, in<f32, 3, 2>, optim::SGD{.lr = 0.1f});
}
