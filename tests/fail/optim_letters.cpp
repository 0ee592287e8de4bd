// wrote: optim::RMSProp{.lr = 1e-3f}
// write: optim::RMSprop{.lr = 1e-3f}
// expect: RMSProp
// first-error: an optimiser's name has these letters
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::RMSprop{.lr = 1e-3f});
#else
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::RMSProp{.lr = 1e-3f});
#endif
}
