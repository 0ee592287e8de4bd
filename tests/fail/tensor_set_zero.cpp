// wrote: x.setZero();
// write: x = Tensor<f32, Shape<3>>::full(0);
// expect: setZero
// first-error: a tensor that holds one number everywhere is made anew
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  x = Tensor<f32, Shape<3>>::full(0);
#else
  x.setZero();
#endif
}
