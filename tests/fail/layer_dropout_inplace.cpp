// wrote: nn::Dropout drop{.p = 0.1f, .inplace = true}
// write: nn::Dropout drop{.p = 0.1f}
// expect: spelled::inplace
// nvcc: has no field "
// first-error: a layer gives a value of its own, and where its memory lies
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Dropout drop{.p = 0.1f};
#else
  nn::Dropout drop{.p = 0.1f, .inplace = true};
#endif
  constexpr auto operator()(auto x) const { return drop(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
  (void)f;
}
