// wrote: auto s = t.to(Cpu{});
// write: auto s = t;
// expect: Shape<2, 3>
// first-error: the device of a tensor is in its type: write Tensor<f32, Shape<2, 3>,
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  auto s = t;
#else
  Tensor<f32, Shape<2, 3>> t;
  auto s = t.to(Cpu{});
#endif
}
