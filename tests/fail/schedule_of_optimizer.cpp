// wrote: schedule::step(optimizer, 30)
// write: .lr = schedule::step(1e-3, 30)
// expect: a schedule takes the rate
// first-error: a schedule takes the rate and then its steps
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
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
                                   optim::AdamW{.lr = schedule::step(1e-3, 30)});
#else
  optim::AdamW optimizer;
  auto scheduler = schedule::step(optimizer, 30);
#endif
}
