// wrote: Model<Net> m(8, 4);
// write: Model<Net> m;
// expect: Net, int, int
// first-error: a Model is made of a device and a seed
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> m;
#else
  Model<Net> m(8, 4);
#endif
}
