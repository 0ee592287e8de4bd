// wrote: Tensor<f32, Shape<2, 2>> v = matmul(t, t);
// write: Tensor<f32, Shape<2, 2>> v = matmul(t, transpose<0, 1>(t));
// expect: Shape<2, 3>
// first-error: the extents of the contracted axes differ
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<2, 2>> v = matmul(t, transpose<0, 1>(t));
#else
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<2, 2>> v = matmul(t, t);
#endif
}
