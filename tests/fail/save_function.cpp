// wrote: save(model, path)
// write: model.save(path)
// expect: save
// first-error: a model saves and loads itself:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.save("m.safetensors");
#else
  save(model, "m.safetensors");
#endif
}
