// wrote: Tensor<short, Shape<3>> a{1, 2, 3};
// write: Tensor<i32, Shape<3>> a{1, 2, 3};
// expect: ElementHasDtype<short
// first-error: elements are f64, f32,
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<i32, Shape<3>> a{1, 2, 3};
#else
  Tensor<short, Shape<3>> a{1, 2, 3};
#endif
  Tensor<f32, Shape<3>> b = a * 0.5f;
}
