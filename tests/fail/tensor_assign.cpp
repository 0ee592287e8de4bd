// wrote: Tensor<f32, Shape<3>> u = t;
// write: Tensor<f32, Shape<2, 3>> u = t;
// expect: Shape<2, 3>
// expect: Shape<3>
// first-error: a tensor is made of one of its own dtype and shape: write auto y =
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<2, 3>> u = t;
#else
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<3>> u = t;
#endif
}
