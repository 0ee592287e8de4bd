// wrote: Tensor<f32> x({1, 2, 3});
// write: Tensor<f32, Shape<3>> x{1, 2, 3};
// expect: a tensor has its shape in its type
// first-error: write Tensor<f32, Shape<2, 3>> x
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<3>> x{1, 2, 3};
#else
  Tensor<f32> x({1, 2, 3});
#endif
  static_cast<void>(x);
}
