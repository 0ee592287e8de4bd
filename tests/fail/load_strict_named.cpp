// wrote: model.load(path, {.strict = false})
// write: model.load(path, LoadMode::lax)
// expect: Net
// first-error: load: strict=False is model.load(path, LoadMode::lax),
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.load("m.safetensors", LoadMode::lax);
#else
  model.load("m.safetensors", {.strict = false});
#endif
}
