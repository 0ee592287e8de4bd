// wrote: a.lerp(0.5f, b)
// write: a.lerp(b, 0.5f)
// expect: float, weft
// first-error: lerp takes another model of the same struct and device, and then the weight:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> a, b;
#ifdef WEFT_FIXED
  a.lerp(b, 0.5f);
#else
  a.lerp(0.5f, b);
#endif
}
