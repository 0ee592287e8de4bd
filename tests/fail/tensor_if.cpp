// wrote: if (t > 0) return 1;
// write: Tensor<bool, Shape<>> any_positive = any<>(t > 0); if (any_positive.item()) return 1;
// expect: Shape<2, 3>
// first-error: an expression of tensors runs when it is assigned to a tensor: write
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  Tensor<bool, Shape<>> any_positive = any<>(t > 0);
  if (any_positive.item()) return 1;
#else
  Tensor<f32, Shape<2, 3>> t;
  if (t > 0) return 1;
#endif
}
