// wrote: Model<Net, Cuda> model;  // in a .cpp
// write: Model<Net, best_device> model;
// expect: this file is not compiled for a GPU
// first-error: CudaNeedsNvcc
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
};

int main() {
#if defined(WEFT_FIXED)
  Model<Net, best_device> model;
#elif defined(__CUDACC__)  // which has the device
  static_assert(sizeof(int) == 0, "this file is not compiled for a GPU");
#else
  Model<Net, Cuda> model;
#endif
}
