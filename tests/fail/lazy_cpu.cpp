// wrote: Tensor<f32, Shape<4, 8>> c = (a + b).cpu()
// write: Tensor<f32, Shape<4, 8>> c = a + b
// expect: Lazy
// first-error: an expression of tensors runs where its tensors lie
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 8>> a = rand<f32, 4, 8>(), b = rand<f32, 4, 8>();
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4, 8>> c = a + b;
#else
  Tensor<f32, Shape<4, 8>> c = (a + b).cpu();
#endif
}
