// wrote: model.load_state_dict("net.safetensors");
// write: model.load("net.safetensors");
// expect: Net
// first-error: a Model is parameters and buffers: load(path), load(other_model) and save(path)
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  model.load("net.safetensors");
#else
  model.load_state_dict("net.safetensors");
#endif
}
