// expect: a reflected frame must be narrower
// expect: FrameOp
// expect: Shape<2, 4, 4>
// first-error: a reflected frame must be narrower
#include "weft/exec/function.hpp"
#include "weft/ops/shape/padding.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return pad<PaddingMode::reflect, 3, 0>(x); }, in<f32, 2, 4, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return pad<PaddingMode::reflect, 4, 0>(x); }, in<f32, 2, 4, 4>);
#endif
  static_cast<void>(f);
}
