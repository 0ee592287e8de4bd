// wrote: model.load(path, {.allow = "missing"})
// write: model.load(path, {.allow = missing})
// expect: char
// first-error: what a load may leave undone is missing, unexpected or both
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.load("net.safetensors", {.allow = missing});
#else
  model.load("net.safetensors", {.allow = "missing"});
#endif
}
