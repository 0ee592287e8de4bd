// wrote: nn::LeakyReLU act{.negative_slope = 0.2f}
// write: nn::LeakyReLU act{.slope = 0.2f}
// expect: LeakyReLU
// nvcc: has no field "
// first-error: the slope of a LeakyReLU below 0 is its member slope:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LeakyReLU act{.slope = 0.2f};
#else
  nn::LeakyReLU act{.negative_slope = 0.2f};
#endif
  constexpr auto operator()(auto x) const { return act(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
  (void)f;
}
