// wrote: Tensor<f32, Shape<2>> u;
// write: Tensor<f32, Shape<3>> u;
// expect: Shape<2, 3>
// expect: Shape<2>
// first-error: the shapes do not broadcast: two extents of the same axis must be
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<3>> u;
  Tensor<f32, Shape<2, 3>> v = t + u;
#else
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<2>> u;
  Tensor<f32, Shape<2, 3>> v = t + u;
#endif
}
