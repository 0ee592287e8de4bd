// wrote: nn::ReLU act{.inplace = true}
// write: nn::ReLU act
// expect: spelled::inplace
// nvcc: has no field "
// first-error: a layer gives a value of its own, and where its memory lies
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::ReLU act;
#else
  nn::ReLU act{.inplace = true};
#endif
  constexpr auto operator()(auto x) const { return act(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
  (void)f;
}
