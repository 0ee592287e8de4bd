// wrote: Tensor<f32, Shape<2>> rows = sum<0>(x);
// write: Tensor<f32, Shape<2>> rows = sum<1>(x);
// expect: Shape<3>,
// first-error: a tensor takes an expression of its own shape
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
  Tensor<f32, Shape<2>> rows = sum<1>(x);
#else
  Tensor<f32, Shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
  Tensor<f32, Shape<2>> rows = sum<0>(x);
#endif
}
