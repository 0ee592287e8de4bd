// wrote: Tensor<f16, Shape<4, 8>> c = (a + b).to<f16>()
// write: Tensor<f16, Shape<4, 8>> c = cast<f16>(a + b)
// expect: Lazy
// first-error: another dtype is cast<f16>(a + b)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 8>> a = rand<f32, 4, 8>(), b = rand<f32, 4, 8>();
#ifdef WEFT_FIXED
  Tensor<f16, Shape<4, 8>> c = cast<f16>(a + b);
#else
  Tensor<f16, Shape<4, 8>> c = (a + b).to<f16>();
#endif
}
