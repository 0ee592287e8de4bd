// wrote: m.save();
// write: m.save("net.safetensors");
// expect: Net
// first-error: a file has a path
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> m;
#ifdef WEFT_FIXED
  m.save("net.safetensors");
#else
  m.save();
#endif
}
