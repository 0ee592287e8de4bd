// wrote: for (f32 e : v * 2)
// write: Tensor<f32, Shape<3>> w = v * 2; for (f32 e : w)
// expect: mul
// first-error: an expression of tensors runs when it is assigned
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> v{1, 2, 3};
  f32 total = 0;
#ifdef WEFT_FIXED
  Tensor<f32, Shape<3>> w = v * 2;
#else
  auto w = v * 2;
#endif
  for (f32 e : w) total += e;
}
