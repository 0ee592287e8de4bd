// wrote: other = model;
// write: other = model.clone();
// expect: Net
// first-error: Model: it is moved, not copied: a.clone() makes another with the same
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model, other;
  other = model.clone();
#else
  Model<Net> model, other;
  other = model;
#endif
}
