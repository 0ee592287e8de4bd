// wrote: randn<f32, 4, 8>(0.0f, 0.1f), rand<f32, 4>(-1, 1)
// write: normal<f32, 4, 8>(0, 0.1), rand<f32, 4>() * 2 - 1
// expect: randn
// first-error: rand and randn take no number
#include "weft/exec/immediate.hpp"
#include "weft/ops/random/distribution.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4, 8>> t = normal<f32, 4, 8>(0, 0.1);
#else
  Tensor<f32, Shape<4, 8>> t = randn<f32, 4, 8>(0.0f, 0.1f);
#endif
}
