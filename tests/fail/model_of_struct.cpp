// wrote: Model<Net> model = Net{};
// write: Model<Net> model;
// expect: Net
// first-error: a Model
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
#else
  Model<Net> model = Net{};
#endif
}
