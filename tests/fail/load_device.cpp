// wrote: model.load(path, Cpu{})
// write: model.load(path)
// expect: Cpu
// first-error: the device of a model is given where it is made
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.load("net.safetensors");
#else
  model.load("net.safetensors", Cpu{});
#endif
}
