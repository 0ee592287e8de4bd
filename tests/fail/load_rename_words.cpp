// wrote: {.rename = {"body", "encoder"}}
// write: {.rename = {{"body", "encoder"}}}
// expect: a rename is a pair of names
// first-error: a rename is a pair of names
#include "weft/exec/model.hpp"
#include "weft/nn.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc{};
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.load("a.safetensors", {.rename = {{"body", "encoder"}}});
#else
  model.load("a.safetensors", {.rename = {"body", "encoder"}});
#endif
}
