// wrote: Tensor<f32, Shape<3>> x; x << 1, 2, 3;
// write: Tensor<f32, Shape<3>> x{1, 2, 3};
// expect: Shape<3>
// first-error: the elements of a tensor are given in braces
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<3>> x{1, 2, 3};
#else
  Tensor<f32, Shape<3>> x;
  x << 1, 2, 3;
#endif
}
