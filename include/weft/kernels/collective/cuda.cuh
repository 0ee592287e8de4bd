#pragma once
// Collectives on a GPU: what a program asks of an engine that moves data between GPUs, and its calls. Law:
// nothing waits on the host; all may be captured.

#include "weft/device/cuda_buffer.cuh"
#include "weft/kernels/collective/call.hpp"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// A communicator of device memory, whose sums run in a stream of its own beside the program's.
class CudaCommunicator : public comm::Communicator {
 public:
  // The sum over ranks of what was reserved for `request`, in place: begins behind what `stream` has to do.
  virtual void start_sum(int request, void* data, cudaStream_t stream) = 0;
  // What comes next in `stream` waits for what was begun for `request`.
  virtual void wait_sum(int request, cudaStream_t stream) = 0;
  // The same, if anything was begun since it was last waited for.
  virtual void await(int request, cudaStream_t stream) = 0;
  // As Communicator's, begun behind what `stream` has to do; what comes next in `stream` may change the
  // parts.
  virtual void start_scatter(int request, void* data, cudaStream_t stream) = 0;
  virtual void start_gather(int request, void* data, cudaStream_t stream) = 0;
  virtual void start_scatter_into(int request, const Part* parts, int count, void* to,
                                  cudaStream_t stream) = 0;
  virtual void start_state(int request, void* to, i64 begin, i64 count, const comm::Shares& shares, i64 unit,
                           cudaStream_t stream) = 0;
  // to[i] becomes the largest from[i] of all ranks, for what comes next in `stream`.
  virtual void max(int request, const f32* from, f32* to, i64 count, cudaStream_t stream) = 0;
  // In `stream`.
  virtual void gather_pieces(void* data, const i64* bounds, i64 unit, cudaStream_t stream) = 0;
  // Every rank's bytes of device memory, one behind the other in the order of ranks, in `stream`.
  virtual void gather(const void* from, void* to, i64 bytes, cudaStream_t stream) = 0;
  // Rank 0's bytes of device memory become every rank's, in `stream`.
  virtual void broadcast(void* data, i64 bytes, cudaStream_t stream) = 0;
  using Communicator::await;
  using Communicator::broadcast;
  using Communicator::gather_pieces;
  using Communicator::max;
  using Communicator::start_gather;
  using Communicator::start_scatter;
  using Communicator::start_scatter_into;
  using Communicator::start_state;
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

inline CudaCommunicator& communicator_of(const CudaLaunch& launch) {
  return *cuda_communicator(static_cast<comm::Communicator*>(launch.args.pointer[1]));
}

// The third pointer is the program's group, if it has one: NCCL asks that what two communicators do goes one
// by one, so nothing runs beside a sum then.
inline void run_cuda_all_reduce_start(const CudaLaunch& launch, cudaStream_t stream) {
  const int request = CollectiveCall(launch).request;
  communicator_of(launch).start_sum(request, launch.args.pointer[0], stream);
  if (launch.args.pointer[2] != nullptr) communicator_of(launch).wait_sum(request, stream);
}
inline void run_cuda_all_reduce_done(const CudaLaunch& launch, cudaStream_t stream) {
  if (launch.args.pointer[2] == nullptr)
    communicator_of(launch).wait_sum(CollectiveCall(launch).request, stream);
}
inline void run_cuda_reduce_scatter_start(const CudaLaunch& launch, cudaStream_t stream) {
  communicator_of(launch).start_scatter(CollectiveCall(launch).request, launch.args.pointer[0], stream);
}
inline void run_cuda_all_gather_start(const CudaLaunch& launch, cudaStream_t stream) {
  const CollectiveCall call(launch);
  cuda_copy(launch.args.pointer[0], launch.args.pointer[2], static_cast<std::size_t>(call.bytes()), stream);
  communicator_of(launch).start_gather(call.request, launch.args.pointer[0], stream);
}
inline void run_cuda_all_reduce_max(const CudaLaunch& launch, cudaStream_t stream) {
  const CollectiveCall call(launch);
  communicator_of(launch).max(call.request, static_cast<const f32*>(launch.args.pointer[2]),
                              static_cast<f32*>(launch.args.pointer[0]), call.elements, stream);
}
inline constexpr int narrow_threads = 256;

template <u64 Tag, u64 T>
__global__ void __launch_bounds__(narrow_threads) WEFT_KERNEL
    narrow_state_kernel(void* to, const f32* from, i64 count) {
  using E = ctype<static_cast<DType>(T)>;
  const i64 i = static_cast<i64>(blockIdx.x) * narrow_threads + threadIdx.x;
  if (i < count) static_cast<E*>(to)[i] = static_cast<E>(from[i]);
}
template <DType Narrow>
void enqueue_narrow_state(const GatherStateCall& call, cudaStream_t stream) {
  const unsigned blocks = cuda_blocks((call.own_elements() + narrow_threads - 1) / narrow_threads);
  narrow_state_kernel<kernel_tag, static_cast<u64>(Narrow)><<<blocks, narrow_threads, 0, stream>>>(
      call.own_to(), static_cast<const f32*>(call.own_from()), call.own_elements());
  cuda_check_launch("narrow_state");
}
inline void run_cuda_all_gather_state_start(const CudaLaunch& launch, cudaStream_t stream) {
  const GatherStateCall call(launch);
  if (!call.begins()) return;
  if (call.own_elements() > 0) {
    if (call.dtype == call.from_dtype)
      cuda_copy(call.own_to(), call.own_from(), static_cast<std::size_t>(call.own_elements() * call.unit()),
                stream);
    else if (call.dtype == DType::bf16)
      enqueue_narrow_state<DType::bf16>(call, stream);
    else
      enqueue_narrow_state<DType::f16>(call, stream);
  }
  communicator_of(launch).start_state(call.request, call.to, call.begin, call.elements, call.shares,
                                      call.unit(), stream);
}
// What it gives is a zero, for the launches behind it to depend on.
inline void run_cuda_reduce_scatter_into_start(const CudaLaunch& launch, cudaStream_t stream) {
  const ScatterIntoCall call(launch);
  cuda_zero(launch.args.pointer[0], static_cast<std::size_t>(call.unit()), stream);
  communicator_of(launch).start_scatter_into(call.request, call.parts, call.count, call.to, stream);
}
inline void run_cuda_reduce_scatter_state_start(const CudaLaunch& launch, cudaStream_t stream) {
  const ScatterStateCall call(launch);
  cuda_zero(launch.args.pointer[0], static_cast<std::size_t>(call.unit()), stream);
  communicator_of(launch).reserve_part(call.request, call.begin, call.elements, call.shares, call.dtype);
  communicator_of(launch).start_scatter_into(call.request, &call.part, 1, call.to, stream);
}
inline void run_cuda_reduce_scatter_into_done(const CudaLaunch& launch, cudaStream_t stream) {
  const CollectiveCall call(launch);
  cuda_zero(launch.args.pointer[0], static_cast<std::size_t>(call.unit()), stream);
  communicator_of(launch).wait_sum(call.request, stream);
}
inline void run_cuda_collective_await(const CudaLaunch& launch, cudaStream_t stream) {
  const CollectiveCall call(launch);
  cuda_zero(launch.args.pointer[0], static_cast<std::size_t>(call.unit()), stream);
  communicator_of(launch).await(call.request, stream);
}
inline void run_cuda_pieces_done(const CudaLaunch& launch, cudaStream_t stream) {
  communicator_of(launch).wait_sum(CollectiveCall(launch).request, stream);
}

// As run_group_collective on the host.
inline void run_cuda_group_collective(const CudaLaunch& launch, cudaStream_t stream) {
  const GroupCall call = GroupCall::decode(launch.numbers[0]);
  CudaCommunicator& group = communicator_of(launch);
  const i64 bytes = CollectiveCall(launch).bytes();
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
    case GroupKind::scatter: {
      const comm::Communicator::Part whole{from, 0, CollectiveCall(launch).elements};
      const i64 part = bytes / call.degree;
      cuda_zero(to, static_cast<std::size_t>(part), stream);
      group.start_scatter_into(request, &whole, 1, static_cast<std::byte*>(to) - part * group.rank(), stream);
      return group.wait_sum(request, stream);
    }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
