// wrote: make_trainer<Net>(Cpu{}, cross_entropy, in<f32, 4, 8>, in<i64, 4>, optim::Adam{})
// write: [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); }
// expect: Net
// first-error: a function of many forms
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::Adam{});
#else
  auto trainer = make_trainer<Net>(Cpu{}, cross_entropy, in<f32, 4, 8>, in<i64, 4>, optim::Adam{});
#endif
  trainer.set_lr(0.1f);
}
