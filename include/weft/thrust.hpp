#pragma once
// A GPU's tensors as ranges of Thrust, which weft.hpp leaves out: begin(t), end(t), thrust_policy(device).

#if defined(__CUDACC__)
#include "weft/exec/cuda_thrust.cuh"
#endif
