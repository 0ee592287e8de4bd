// wrote: auto u = t.view(2, 3);
// write: Tensor<f32, Shape<2, 3>> u = view<2, 3>(t);
// expect: spelled::view
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<6>> t;
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> u = view<2, 3>(t);
#else
  auto u = t.view(2, 3);
#endif
}
