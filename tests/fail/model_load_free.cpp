// wrote: auto model = load("net.safetensors");
// write: Model<Net> model;  model.load("net.safetensors");
// expect: ModelSaves
// first-error: a model saves and loads itself
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
  auto model = load("net.safetensors");
#endif
}
