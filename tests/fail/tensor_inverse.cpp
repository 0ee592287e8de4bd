// wrote: Tensor<f32, Shape<2, 2>> b = inverse(a);
// write: products and norms; a matrix that is inverted comes in as an input
// expect: spelled::inverse
// first-error: weft has no operation of this name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<2, 2>> a{1, 0, 0, 1};
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 2>> b = matmul(a, a);
#else
  Tensor<f32, Shape<2, 2>> b = inverse(a);
#endif
}
