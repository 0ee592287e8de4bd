// wrote: nn::LayerNorm<8> norm{.elementwise_affine = false}
// write: nn::LayerNormNoAffine<8> norm
// expect: spelled::elementwise_affine
// nvcc: has no field "
// first-error: a norm without weight and bias is a layer of its own
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LayerNormNoAffine<8> norm;
#else
  nn::LayerNorm<8> norm{.elementwise_affine = false};
#endif
  constexpr auto operator()(auto x) const { return norm(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 4, 8>);
  (void)f;
}
