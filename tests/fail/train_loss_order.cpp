// wrote: [](auto x, const auto& net) { return mean<>(net(x)); }
// write: [](const auto& net, auto x) { return mean<>(net(x)); }
// expect: Net
// first-error: the model is the first parameter of a loss
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](auto x, const auto& net) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
#endif
}
