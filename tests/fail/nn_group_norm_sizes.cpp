// wrote: nn::GroupNorm<4> norm;
// write: nn::GroupNorm<4, 8> norm;
// expect: SizesAreGiven
// first-error: a layer's sizes are template arguments, and one is missing
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::GroupNorm<4, 8> fc;
#else
  nn::GroupNorm<4> fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
