// wrote: int a[2][3]{};  Tensor<f32, Shape<2, 3>> x(a);
// write: float a[2][3]{};  Tensor<f32, Shape<2, 3>> x(a);
// expect: Shape<2, 3>
// first-error: an array that a tensor is made of has the dtype
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  float a[2][3]{};
  Tensor<f32, Shape<2, 3>> x(a);
#else
  int a[2][3]{};
  Tensor<f32, Shape<2, 3>> x(a);
#endif
}
