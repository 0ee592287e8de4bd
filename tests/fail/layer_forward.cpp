// wrote: fc1.forward(x)
// write: fc1(x)
// expect: Shape<4, 8>
// first-error: a layer is called as a function: write fc(x) in place of fc.forward(x)
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc1, fc2;
  nn::ReLU act;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return fc2(act(fc1(x)));
#else
    return fc2.forward(act.forward(fc1.forward(x)));
#endif
  }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
}
