// wrote: auto a = y.accessor<float, 2>(); a[1][2]
// write: y(1, 2)
// expect: spelled::accessor
// expect: Shape<2, 3>
// first-error: the elements of a tensor are
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<2, 3>> y;
#ifdef WEFT_FIXED
  auto a = y(1, 2);
#else
  auto a = y.accessor<float, 2>();
#endif
}
