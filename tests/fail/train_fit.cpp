// wrote: trainer.fit(std::vector<f32>(32));
// write: trainer.step(std::vector<f32>(32));
// expect: fit
// first-error: the program drives a trainer: for (auto& [x, y] : loader) trainer.step(x, y)
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  trainer.step(std::vector<f32>(32));
#else
  trainer.fit(std::vector<f32>(32));
#endif
}
