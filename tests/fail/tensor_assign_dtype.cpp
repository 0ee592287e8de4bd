// wrote: Tensor<i32, Shape<>> best = argmax<0>(a);
// write: Tensor<i64, Shape<>> best = argmax<0>(a);
// expect: Tensor<int
// first-error: an expression loses no precision and no range when it is assigned
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4>> a{1, 2, 3, 4};
#ifdef WEFT_FIXED
  Tensor<i64, Shape<>> best = argmax<0>(a);
#else
  Tensor<i32, Shape<>> best = argmax<0>(a);
#endif
}
