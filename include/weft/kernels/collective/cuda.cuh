#pragma once
// Collectives on a GPU: what a program asks of an engine that moves data between GPUs, and its calls.
// Numbers: compiler/lower/collective.hpp; the second pointer is the program's communicator. Law: nothing
// waits on the host; all may be captured.

#include "weft/comm/communicator.hpp"
#include "weft/core/group_call.hpp"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// A communicator whose sums are of device memory, in a stream of its own beside the program's.
class CudaCommunicator : public comm::Communicator {
 public:
  // The sum over ranks of what was reserved for `request`, in place: begins behind what `stream` has to do.
  virtual void start_sum(int request, void* data, cudaStream_t stream) = 0;
  // What comes next in `stream` waits for it.
  virtual void wait_sum(int request, cudaStream_t stream) = 0;
  // Of what was reserved for `request`: this rank's part of the sum over ranks of `from`, whose part r is
  // rank r's, to `to`; as start_sum, and wait_sum waits for it.
  virtual void start_scatter(int request, const void* from, void* to, cudaStream_t stream) = 0;
  // Every rank's bytes of device memory, one behind the other in the order of ranks, in `stream`.
  virtual void gather(const void* from, void* to, i64 bytes, cudaStream_t stream) = 0;
  // Rank 0's bytes of device memory become every rank's, in `stream`.
  virtual void broadcast(void* data, i64 bytes, cudaStream_t stream) = 0;
  using Communicator::broadcast;
  using Communicator::start_scatter;
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

// The third pointer is the program's group, if it has one: NCCL asks that what two communicators do goes one
// by one, so nothing runs beside a sum then.
inline void run_cuda_all_reduce_start(const CudaLaunch& launch, cudaStream_t stream) {
  CudaCommunicator& ranks = *cuda_communicator(static_cast<comm::Communicator*>(launch.args.pointer[1]));
  const int request = static_cast<int>(launch.numbers[0]);
  ranks.start_sum(request, launch.args.pointer[0], stream);
  if (launch.args.pointer[2] != nullptr) ranks.wait_sum(request, stream);
}
inline void run_cuda_all_reduce_done(const CudaLaunch& launch, cudaStream_t stream) {
  if (launch.args.pointer[2] == nullptr)
    cuda_communicator(static_cast<comm::Communicator*>(launch.args.pointer[1]))
        ->wait_sum(static_cast<int>(launch.numbers[0]), stream);
}

// As run_group_collective on the host.
inline void run_cuda_group_collective(const CudaLaunch& launch, cudaStream_t stream) {
  const GroupCall call = GroupCall::decode(launch.numbers[0]);
  CudaCommunicator& group = *cuda_communicator(static_cast<comm::Communicator*>(launch.args.pointer[1]));
  const i64 bytes = static_cast<i64>(launch.numbers[1]) * size_of(static_cast<DType>(launch.numbers[2]));
  const int request = static_cast<int>(launch.args.rows);
  void* const to = launch.args.pointer[0];
  const auto* const from = static_cast<const std::byte*>(launch.args.pointer[2]);
  const auto copy = [&](const std::byte* at, i64 length) {
    cuda_copy(to, at, static_cast<std::size_t>(length), stream);
  };
  switch (call.kind) {
    case GroupKind::sum:
      copy(from, bytes);
      group.start_sum(request, to, stream);
      return group.wait_sum(request, stream);
    case GroupKind::gather:
      return group.gather(from, to, bytes, stream);
    case GroupKind::part:
      return copy(from + bytes / call.degree * group.rank(), bytes / call.degree);
    case GroupKind::scatter:
      group.start_scatter(request, from, to, stream);
      return group.wait_sum(request, stream);
  }
}

}  // namespace WEFT_NAMESPACE::kernels
