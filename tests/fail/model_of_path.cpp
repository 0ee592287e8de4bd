// wrote: Model<Net> model("net.safetensors");
// write: Model<Net> model;  model.load("net.safetensors");
// expect: char
// first-error: are taken by model.load(path)
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
  model.load("net.safetensors");
#else
  Model<Net> model("net.safetensors");
#endif
}
