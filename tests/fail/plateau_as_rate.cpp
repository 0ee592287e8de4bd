// wrote: .lr = schedule::ReduceOnPlateau{.lr = 1e-3}
// write: schedule::ReduceOnPlateau plateau{.lr = 1e-3}; ... .lr = plateau.lr
// expect: ReduceOnPlateau
// first-error: ReduceOnPlateau looks at a metric and so is no function of the step:
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
      optim::AdamW{.lr = schedule::ReduceOnPlateau{.lr = 1e-3}.lr});
#else
      optim::AdamW{.lr = schedule::ReduceOnPlateau{.lr = 1e-3}});
#endif
}
