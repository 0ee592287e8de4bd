#pragma once
// Everything that runs on a GPU. Compiled by a plain host compiler it is empty, so that one source serves
// both.

#if defined(__CUDACC__)
#include "weft/exec/cuda_function.cuh"
#include "weft/exec/cuda_tensor.cuh"
#include "weft/exec/model.hpp"
#include "weft/targets/cuda/memory.cuh"
#include "weft/train/cuda_loss_ring.cuh"
#endif
