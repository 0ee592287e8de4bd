#pragma once
// Everything that runs on a GPU; weft.hpp includes it where the compiler is nvcc.

#include "weft/exec/cuda_model.cuh"
#include "weft/exec/cuda_program.cuh"
#include "weft/exec/cuda_tensor.cuh"
