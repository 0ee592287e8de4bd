// wrote: make_trainer<Net>(Cpu{}, ...) of a template <int Size = 16> struct Net
// write: make_trainer<Net<>>(Cpu{}, ...)
// expect: optim::SGD
// first-error: the model is a template and was not given its arguments
#include "weft/weft.hpp"
using namespace weft;

template <int Size = 16>
struct Net {
  nn::Linear<8, Size> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net<>>(
#else
  auto trainer = make_trainer<Net>(
#endif
      Cpu{}, [](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
  trainer.step(std::vector<f32>(32));
}
