// wrote: f32 v = t; (of three elements)
// write: f32 v = t[0];
// expect: Shape<3>
// first-error: item() is for tensors of one element
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> t;
#ifdef WEFT_FIXED
  f32 v = t[0];
#else
  f32 v = t;
#endif
}
