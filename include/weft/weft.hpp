#pragma once
// Everything a program needs to build, train and run models on the host, and on CUDA when compiled by nvcc.

#include "weft/core.hpp"
#include "weft/data.hpp"
#include "weft/device.hpp"
#include "weft/exec.hpp"
#include "weft/io.hpp"
#include "weft/nn.hpp"
#include "weft/ops.hpp"
#include "weft/optim.hpp"
#include "weft/train.hpp"

#if defined(__CUDACC__)
#include "weft/cuda.hpp"
#endif
