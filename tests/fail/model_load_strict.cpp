// wrote: model.load("net.safetensors", false);
// write: model.load("net.safetensors", LoadMode::lax);
// expect: Net
// first-error: load: strict=False is model.load(path, LoadMode::lax)
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.load("net.safetensors", LoadMode::lax);
#else
  model.load("net.safetensors", false);
#endif
}
