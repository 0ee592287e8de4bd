// wrote: Tensor<f32, Shape<-1, 3>> x;
// write: Tensor<f32, Shape<32, 3>> x;
// expect: Shape<32, 8> in place of
// first-error: every extent is known while compiling
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<32, 3>> x;
#else
  Tensor<f32, Shape<-1, 3>> x;
#endif
}
