// wrote: TensorView<f32, Shape<2, 3>, Cpu> v = t.view();, of 3 x 2
// write: TensorView<f32, Shape<3, 2>, Cpu> v = t.view();
// expect: Shape<2, 3>
// first-error: a tensor is made of one of its own dtype and shape
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3, 2>> t;
#ifdef WEFT_FIXED
  TensorView<f32, Shape<3, 2>, Cpu> v = t.view();
#else
  TensorView<f32, Shape<2, 3>, Cpu> v = t.view();
#endif
  return v[0] > 0;
}
