// wrote: Model<Net> model(Cpu{}, "net.safetensors");
// write: Model<Net> model; model.load("net.safetensors");
// expect: Net
// first-error: a Model is made of a device and a seed
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model(Cpu{}, 7);
  model.load("net.safetensors");
#else
  Model<Net> model(Cpu{}, "net.safetensors");
#endif
}
