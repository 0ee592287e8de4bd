// wrote: Tensor<f32, Shape<3>> t(0);
// write: Tensor<f32, Shape<3>> t;
// expect: Shape<3>
// first-error: Tensor: it is made of its elements in braces, a std::vector or a
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<3>> t;
#else
  Tensor<f32, Shape<3>> t(0);
#endif
}
