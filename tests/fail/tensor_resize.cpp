// wrote: x.resize(4);
// write: Tensor<f32, Shape<4>> y;
// expect: resize
// first-error: a tensor has the size that its type says
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4>> y;
#else
  x.resize(4);
#endif
}
