#pragma once
// Ranks on GPUs connected by NCCL, which weft.hpp leaves out: comm::ddp<comm::Nccl>. Needs nvcc and NCCL.

#if defined(__CUDACC__)
#include "weft/kernels/collective/nccl.cuh"
#include "weft/nn/tensor_parallel.hpp"
#else
#include "weft/comm/communicator.hpp"
#include "weft/comm/tensor_parallel.hpp"
#include "weft/nn/tensor_parallel.hpp"

namespace WEFT_NAMESPACE::comm {

// What a plain host compiler knows of it: that it connects none of its devices.
class Nccl {
 public:
  using device_type = void;
  static Shared<Communicator> connect();
  static Shared<Communicator> connect_group(int degree);
  static Shared<Communicator> connect_across(int degree);
};

}  // namespace WEFT_NAMESPACE::comm
#endif
