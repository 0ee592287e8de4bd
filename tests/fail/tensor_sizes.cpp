// wrote: Tensor<f32, Shape<2, 3>> a(2, 3);
// write: Tensor<f32, Shape<2, 3>> a;
// expect: Shape<2, 3>
// first-error: it is made of its elements in braces
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> a;
#else
  Tensor<f32, Shape<2, 3>> a(2, 3);
#endif
}
