// wrote: Tensor<f32, Shape<3>> u = t * 2;
// write: Tensor<f32, Shape<2, 3>> u = t * 2;
// expect: Shape<3>
// expect: Shape<2, 3>
// first-error: a tensor takes an expression of its own shape
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<2, 3>> u = t * 2;
#else
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<3>> u = t * 2;
#endif
}
