// wrote: rule(is_head, AdamW{.lr = 1e-2f})
// write: rule(is_head, [](auto& o) { o.lr = 1e-2f; })
// expect: the change is a function
// first-error: optim::rule: the change is a function of the optimiser
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
      optim::groups(optim::rule(optim::is_bias, [](auto& o) { o.lr = 1e-2f; }), optim::AdamW{.lr = 1e-3f}));
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
      optim::groups(optim::rule(optim::is_bias, optim::AdamW{.lr = 1e-2f}), optim::AdamW{.lr = 1e-3f}));
#endif
}
