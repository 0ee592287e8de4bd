// wrote: auto all = model.parameters();
// write: auto weight = model.get<"fc1.weight">();
// expect: Net
// first-error: one parameter is model.get<"fc1.weight">(), a tensor; all of them are
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
  auto weight = model.get<"fc1.weight">();
#else
  Model<Net> model;
  auto all = model.parameters();
#endif
}
