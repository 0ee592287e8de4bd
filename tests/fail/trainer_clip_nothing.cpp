// wrote: clip::norm()
// write: clip::norm(1.0f)
// expect: MostIsArgument
// first-error: gradients are clipped by clip::norm(1.0f)
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
      optim::SGD{.lr = 0.1f}, clip::norm(1.0f));
#else
      optim::SGD{.lr = 0.1f}, clip::norm());
#endif
}
