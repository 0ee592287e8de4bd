// wrote: model.save("x.safetensors", model.state_dict());
// write: model.save("x.safetensors");
// expect: spelled::state_dict
// first-error: one parameter is model.get
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.save("x.safetensors");
#else
  model.save("x.safetensors", model.state_dict());
#endif
}
