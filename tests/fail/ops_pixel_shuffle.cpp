// expect: r * r divides C
// expect: PixelShuffleOp
// expect: Shape<2, 4, 4>
// first-error: r * r divides C
#include "weft/exec/function.hpp"
#include "weft/ops/nn/shuffle.hpp"
#include "weft/ops/shape/movement.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return pixel_shuffle<2>(reshape<8, 2, 2>(x)); }, in<f32, 2, 4, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return pixel_shuffle<2>(x); }, in<f32, 2, 4, 4>);
#endif
  static_cast<void>(f);
}
