// wrote: auto w = model["fc.weight"];
// write: auto w = model.get<"fc.weight">();
// expect: Net
// first-error: one parameter is model.get
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto w = model.get<"fc.weight">();
#else
  auto w = model["fc.weight"];
#endif
}
