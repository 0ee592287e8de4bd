// wrote: Model<Net> m("cpu");
// write: Model<Net> m(Cpu{});
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
  Model<Net> m(Cpu{});
#else
  Model<Net> m("cpu");
#endif
}
