// wrote: float x = t(1);
// write: float x = t(1, 0);
// expect: Shape<2, 3>
// first-error: a tensor takes one integer index an axis: write t(1, 2) for t[1][2];
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  float x = t(1, 0);
#else
  Tensor<f32, Shape<2, 3>> t;
  float x = t(1);
#endif
}
