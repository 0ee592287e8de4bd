// wrote: stack<0>(rows) of a std::vector of tensors
// write: stack<0>(rows[0], rows[1])
// expect: StackOp<0>
// first-error: an operand is a container
#include <vector>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> v{1, 2, 3};
  std::vector<Tensor<f32, Shape<3>>> rows{v, v};
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> s = stack<0>(rows[0], rows[1]);
#else
  Tensor<f32, Shape<2, 3>> s = stack<0>(rows);
#endif
}
