// wrote: nn::LayerNorm<> n;
// write: nn::LayerNorm<8> n;
// expect: Shape<2, 8>
// first-error: the input's shape does not fit the normalisation
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LayerNorm<8> norm;
#else
  nn::LayerNorm<> norm;
#endif
  constexpr auto operator()(auto x) const { return norm(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 2, 8>);
}
