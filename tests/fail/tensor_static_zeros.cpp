// wrote: Tensor<f32, Shape<2, 3>>::ones()
// write: ones<f32, 2, 3>()
// expect: ones
// expect: Shape<2, 3>
// first-error: a tensor is created by a function:
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> x = ones<f32, 2, 3>();
#else
  Tensor<f32, Shape<2, 3>> x = Tensor<f32, Shape<2, 3>>::ones();
#endif
  return x[0] > 2;
}
