// wrote: Tensor<i32, Shape<3>> x{1.5, 2.5, 3.5};
// write: Tensor<f32, Shape<3>> x{1.5, 2.5, 3.5};
// expect: Shape<3>
// first-error: the elements have another dtype than the tensor: give it values of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<3>> x{1.5, 2.5, 3.5};
#else
  Tensor<i32, Shape<3>> x{1.5, 2.5, 3.5};
#endif
}
