// wrote: compile(Cuda{}, ...)  // in a .cpp
// write: compile(best_device{}, ...)
// expect: this file is not compiled for a GPU
// first-error: CudaNeedsNvcc
#include "weft/weft.hpp"
using namespace weft;

#if defined(WEFT_FIXED)
auto f = compile(
    best_device{}, [](auto x) { return relu(x); }, in<f32, 4, 8>);
#elif defined(__CUDACC__)  // which has the device
static_assert(sizeof(int) == 0, "this file is not compiled for a GPU");
#else
auto f = compile(
    Cuda{}, [](auto x) { return relu(x); }, in<f32, 4, 8>);
#endif
