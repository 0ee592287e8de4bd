// wrote: auto w = model.get<"fc3.weight">();
// write: auto w = model.get<"fc1.weight">();
// expect: Net
// first-error: the model has no parameter or buffer of this name: names are dotted
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
  auto w = model.get<"fc1.weight">();
#else
  Model<Net> model;
  auto w = model.get<"fc3.weight">();
#endif
}
