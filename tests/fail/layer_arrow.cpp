// wrote: fc->forward(x)
// write: fc(x)
// expect: Linear<8, 3
// first-error: a layer is a member of the model, and no pointer:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return fc(x); }
#else
  constexpr auto operator()(auto x) const { return fc->forward(x); }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
  (void)f;
}
