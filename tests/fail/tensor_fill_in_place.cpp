// wrote: x.fill_(1);
// write: x = Tensor<f32, Shape<3>>::full(1);
// expect: fill_
// first-error: a tensor that holds one number everywhere is made anew
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  x = Tensor<f32, Shape<3>>::full(1);
#else
  x.fill_(1);
#endif
}
