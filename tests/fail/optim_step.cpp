// wrote: optim::Adam opt{.lr = 1e-3f}; opt.zero_grad(); opt.step();
// write: make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::Adam{.lr = 1e-3f})
// expect: optim::Adam
// first-error: an optimiser is numbers alone
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::Adam{.lr = 1e-3f});
#else
  optim::Adam opt{.lr = 1e-3f};
  opt.zero_grad();
  opt.step();
#endif
}
