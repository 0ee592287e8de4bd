// expect: extents named for a normalisation
// expect: LayerNormOp
// expect: Shape<3, 2, 4>
// first-error: extents named for a normalisation
#include "weft/exec/function.hpp"
#include "weft/ops/nn/norm.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return layer_norm<2, 4>(x); }, in<f32, 3, 2, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return layer_norm<4, 2>(x); }, in<f32, 3, 2, 4>);
#endif
  static_cast<void>(f);
}
