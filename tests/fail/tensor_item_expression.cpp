// wrote: auto total = sum<>(a); auto number = total.item();
// write: Tensor<f32, Shape<>> total = sum<>(a); auto number = total.item();
// expect: Lazy
// first-error: an expression of tensors runs when it is assigned to a tensor
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4>> a{1, 2, 3, 4};
#ifdef WEFT_FIXED
  Tensor<f32, Shape<>> total = sum<>(a);
  auto number = total.item();
#else
  auto total = sum<>(a);
  auto number = total.item();
#endif
}
