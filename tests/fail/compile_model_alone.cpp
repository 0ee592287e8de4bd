// wrote: auto f = compile(model);
// write: auto f = compile(model, in<f32, 4, 8>);
// expect: Net
// first-error: the shapes of the inputs are missing
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto f = compile(model, in<f32, 4, 8>);
#else
  auto f = compile(model);
#endif
}
