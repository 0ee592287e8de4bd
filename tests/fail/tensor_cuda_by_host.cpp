// wrote: Tensor<f32, Shape<3>, Cuda> x;  // in a .cpp
// write: Tensor<f32, Shape<3>, best_device> x;
// expect: this file is not compiled for a GPU
// first-error: CudaNeedsNvcc
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
};

int main() {
#if defined(WEFT_FIXED)
  Tensor<f32, Shape<3>, best_device> x;
#elif defined(__CUDACC__)  // which has the device
  static_assert(sizeof(int) == 0, "this file is not compiled for a GPU");
#else
  Tensor<f32, Shape<3>, Cuda> x;
#endif
}
