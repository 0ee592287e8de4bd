#pragma once
// Collectives on a GPU: what a program asks of an engine that moves data between GPUs, and its calls.
// Numbers: compiler/lower/collective.hpp; the second pointer is the program's communicator. Law: nothing
// waits on the host; all may be captured.

#include "weft/comm/communicator.hpp"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// A communicator whose sums are of device memory, in a stream of its own beside the program's.
class CudaCommunicator : public comm::Communicator {
 public:
  // The sum over ranks of what was reserved for `request`, in place: begins behind what `stream` has to do.
  virtual void start_sum(int request, void* data, cudaStream_t stream) = 0;
  // What comes next in `stream` waits for it.
  virtual void wait_sum(int request, cudaStream_t stream) = 0;
  // Rank 0's bytes of device memory become every rank's, in `stream`.
  virtual void broadcast(void* data, i64 bytes, cudaStream_t stream) = 0;
  using Communicator::broadcast;
  using Communicator::start_sum;
  using Communicator::wait_sum;

  // Throws what has failed: "comm/timeout", "comm/rank", "comm/nccl".
  virtual void check() = 0;
  // `what`, a part of an error's sentence, ends where `stream` has come now: that may need other ranks.
  virtual void launched(const char* what, cudaStream_t stream) = 0;
};

// A program's communicator; its device is a GPU, so it is one for GPUs (train/make_trainer.hpp).
inline CudaCommunicator* cuda_communicator(comm::Communicator* communicator) {
  return static_cast<CudaCommunicator*>(communicator);
}

inline void run_cuda_all_reduce_start(const CudaLaunch& launch, cudaStream_t stream) {
  static_cast<CudaCommunicator*>(static_cast<comm::Communicator*>(launch.args.pointer[1]))
      ->start_sum(static_cast<int>(launch.numbers[0]), launch.args.pointer[0], stream);
}
inline void run_cuda_all_reduce_done(const CudaLaunch& launch, cudaStream_t stream) {
  static_cast<CudaCommunicator*>(static_cast<comm::Communicator*>(launch.args.pointer[1]))
      ->wait_sum(static_cast<int>(launch.numbers[0]), stream);
}

}  // namespace WEFT_NAMESPACE::kernels
