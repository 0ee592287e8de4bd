// wrote: t.fill(1);
// write: t = Tensor<f32, Shape<3>>::full(1);
// expect: spelled::fill
// first-error: holds one number everywhere
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> t;
#ifdef WEFT_FIXED
  t = Tensor<f32, Shape<3>>::full(1);
#else
  t.fill(1);
#endif
}
