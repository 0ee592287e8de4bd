#pragma once
// Ranks on GPUs connected by NCCL, which weft.hpp leaves out: comm::ddp<comm::Nccl>. Needs nvcc and NCCL.

#if defined(__CUDACC__)
#include "weft/kernels/collective/nccl.cuh"
#else
#include "weft/comm/communicator.hpp"

namespace WEFT_NAMESPACE::comm {

// What a plain host compiler knows of it: that it connects none of its devices.
class Nccl {
 public:
  using device_type = void;
  static Shared<Communicator> connect();
};

}  // namespace WEFT_NAMESPACE::comm
#endif
