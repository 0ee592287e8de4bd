// wrote: Model<Net> model; model.to(Cpu{});
// write: Model<Net> model(Cpu{});
// expect: Net
// first-error: the device of a model is given where it is made: Model<Net>
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model(Cpu{});
#else
  Model<Net> model;
  model.to(Cpu{});
#endif
}
