// wrote: const float total = sum<>(a);
// write: Tensor<f32, Shape<>> sums = sum<>(a); const float total = sums.item();
// expect: Lazy
// first-error: an expression of tensors runs when it is assigned to a tensor
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4>> a{1, 2, 3, 4};
#ifdef WEFT_FIXED
  Tensor<f32, Shape<>> sums = sum<>(a);
  const float total = sums.item();
#else
  const float total = sum<>(a);
#endif
}
