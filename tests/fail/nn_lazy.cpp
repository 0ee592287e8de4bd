// wrote: nn::LazyLinear<16> fc;
// write: nn::Linear<8, 16> fc;
// expect: SizesAreGiven
// first-error: a layer's sizes are template arguments, and one is missing
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 16> fc;
#else
  nn::LazyLinear<16> fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
