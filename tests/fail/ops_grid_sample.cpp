// expect: grid_sample takes (N, C, H, W)
// expect: GridSampleOp
// expect: Shape<2, 4, 2, 4>
// first-error: grid_sample takes (N, C, H, W)
#include "weft/exec/function.hpp"
#include "weft/ops/nn/grid_sample.hpp"
#include "weft/ops/shape/movement.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return grid_sample(x, reshape<2, 4, 4, 2>(x)); }, in<f32, 2, 4, 2, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return grid_sample(x, x); }, in<f32, 2, 4, 2, 4>);
#endif
  static_cast<void>(f);
}
