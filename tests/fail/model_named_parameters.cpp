// wrote: for (auto& [n, p] : m.named_parameters()) std::puts(n);
// write: std::puts(m.summary().c_str());
// expect: spelled::named_parameters
// first-error: one parameter is model.get
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> m;
#ifdef WEFT_FIXED
  std::puts(m.summary().c_str());
#else
  for (auto& [n, p] : m.named_parameters()) std::puts(n);
#endif
}
