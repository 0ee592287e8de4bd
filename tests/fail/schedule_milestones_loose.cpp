// wrote: schedule::multistep(0.1, 30, 60)
// write: schedule::multistep(0.1, {30, 60})
// expect: int, int
// first-error: a schedule's rate as a function of the step is schedule::lambda
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
      optim::SGD{.lr = schedule::multistep(0.1, {30, 60})});
#else
      optim::SGD{.lr = schedule::multistep(0.1, 30, 60)});
#endif
}
