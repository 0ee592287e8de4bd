// wrote: x.size(0)
// write: x.extent(0)
// expect: Shape<2, 3>
// first-error: size() counts all elements: the extent of an axis is x.extent(0)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<2, 3>> x;
#ifdef WEFT_FIXED
  return x.extent(0) > 2;
#else
  return x.size(0) > 2;
#endif
}
