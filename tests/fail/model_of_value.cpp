// wrote: Net net; Model model(net);
// write: Model<Net> model;
// expect: Net
// first-error: a Model is made of a device and a seed, Model<Net> model(Cpu{}, 7),
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
#else
  Net net;
  Model model(net);
#endif
}
