// wrote: Tensor<f32, Shape<4>> s = a.std(1)
// write: Tensor<f32, Shape<4>> s = stddev<1>(a)
// expect: spelled::std
// first-error: an operation is a function, run when
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 8>> a = rand<f32, 4, 8>(), b = rand<f32, 4, 8>();
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4>> s = stddev<1>(a);
#else
  Tensor<f32, Shape<4>> s = a.std(1);
#endif
}
