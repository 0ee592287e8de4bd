// wrote: optim::NAdam{.lr = 1e-3f, .beta1 = 0.9f}
// write: optim::NAdam{.lr = 1e-3f, .betas = {0.9f, 0.999f}}
// expect: spelled::beta1
// expect: NAdam
// first-error: betas are two numbers in braces:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>,
#ifdef WEFT_FIXED
      optim::NAdam{.lr = 1e-3f, .betas = {0.9f, 0.999f}});
#else
      optim::NAdam{.lr = 1e-3f, .beta1 = 0.9f});
#endif
}
