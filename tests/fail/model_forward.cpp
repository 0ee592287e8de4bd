// wrote: constexpr auto forward(auto x) const
// write: constexpr auto operator()(auto x) const
// expect: a model is called by operator()
// first-error: write constexpr auto operator()(auto x) const in place of forward
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc{};
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return relu(fc(x)); }
#else
  constexpr auto forward(auto x) const { return relu(fc(x)); }
#endif
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 2, 8>, optim::SGD{.lr = 0.1f});
  trainer.step(std::vector<f32>(16));
}
