// expect: a window that fits
// expect: UnfoldImageOp
// expect: Shape<2, 4, 4>
// first-error: a window that fits
#include "weft/exec/function.hpp"
#include "weft/ops/nn/unfold.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return unfold<3>(x); }, in<f32, 2, 4, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return unfold<5>(x); }, in<f32, 2, 4, 4>);
#endif
  static_cast<void>(f);
}
