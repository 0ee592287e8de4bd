// wrote: auto s = t.sum();
// write: Tensor<f32, Shape<>> s = sum<>(t);
// expect: Shape<2, 3>
// first-error: an operation is a function, run when its result is assigned to a
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  Tensor<f32, Shape<>> s = sum<>(t);
#else
  Tensor<f32, Shape<2, 3>> t;
  auto s = t.sum();
#endif
}
