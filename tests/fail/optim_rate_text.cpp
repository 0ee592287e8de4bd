// wrote: optim::SGD{.lr = "0.1"}
// write: optim::SGD{.lr = 0.1f}
// expect: char
// first-error: a rate is a number or a schedule, and no text:
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
      optim::SGD{.lr = 0.1f});
#else
      optim::SGD{.lr = "0.1"});
#endif
}
