// wrote: Function<float(float)> predict;
// write: Function<Tensor<f32, Shape<4>>(Tensor<f32, Shape<8>>)> predict;
// expect: float
// first-error: Function: a signature is of tensors, whose dtypes and shapes are known
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Function<Tensor<f32, Shape<4>>(Tensor<f32, Shape<8>>)> predict;
#else
  Function<float(float)> predict;
#endif
}
