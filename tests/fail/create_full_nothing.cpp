// wrote: Tensor<f32, Shape<3>>::full()
// write: Tensor<f32, Shape<3>>::full(1)
// expect: Shape<3>
// first-error: full takes the number
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto t = Tensor<f32, Shape<3>>::full(1);
#else
  auto t = Tensor<f32, Shape<3>>::full();
#endif
}
