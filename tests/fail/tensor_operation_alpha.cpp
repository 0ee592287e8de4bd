// wrote: Tensor y = add(a, b, 2);   (torch's alpha)
// write: Tensor y = a + 2 * b;
// expect: OperandsFit<
// first-error: the operation does not take so many operands
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const Tensor<f32, Shape<2>> a{1, 2}, b{3, 4};
#ifdef WEFT_FIXED
  const Tensor<f32, Shape<2>> y = a + 2 * b;
#else
  const Tensor<f32, Shape<2>> y = add(a, b, 2);
#endif
}
