#pragma once
// Tensors handed to NumPy, PyTorch and others without a copy, which weft.hpp leaves out: to_dlpack(x),
// from_dlpack<f32, Shape<2, 3>>(p).

#include "weft/exec/dlpack.hpp"
#if defined(__CUDACC__)
#include "weft/exec/cuda_dlpack.cuh"
#endif
