// wrote: const auto& t = trainer; t.step(std::vector<f32>(32));
// write: auto& t = trainer; t.step(std::vector<f32>(32));
// expect: Trainer
// first-error: a compiled function and a trainer change when they run, and this one is const
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
  auto& t = trainer;
  t.step(std::vector<f32>(32));
#else
  const auto& t = trainer;
  t.step(std::vector<f32>(32));
#endif
}
