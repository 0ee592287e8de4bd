// wrote: Tensor<Shape<2, 3>, f32> x;
// write: Tensor<f32, Shape<2, 3>> x;
// expect: Shape<2, 3>
// first-error: the dtype is the first template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> x;
#else
  Tensor<Shape<2, 3>, f32> x;
#endif
}
