// wrote: const auto& read = model; read.load("net.safetensors");
// write: auto& read = model; read.load("net.safetensors");
// expect: Net
// first-error: load changes the model, and this one is const
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto& read = model;
  read.load("net.safetensors");
#else
  const auto& read = model;
  read.load("net.safetensors");
#endif
}
