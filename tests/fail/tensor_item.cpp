// wrote: float x = t.item();
// write: float x = t(0, 0);
// expect: Shape<2, 3>
// first-error: item() is for tensors of one element
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  float x = t(0, 0);
#else
  Tensor<f32, Shape<2, 3>> t;
  float x = t.item();
#endif
}
