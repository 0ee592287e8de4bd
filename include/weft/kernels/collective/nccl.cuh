#pragma once
// Ranks whose GPUs NCCL connects (NVIDIA Collective Communications Library, 2.19 or newer). Pieces move by
// grouped sends and receives, are added by a kernel here in the order of ranks, and given to all by
// all-gather, in a stream beside the program's, inside its captured graph.
//
// The program is started by torchrun --no-python, or by whatever sets what that sets; one that is started
// alone is rank 0 of 1.

#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "weft/comm/tensor_parallel.hpp"
#include "weft/device/cuda_buffer.cuh"
#include "weft/kernels/collective/add_ranks.cuh"
#include "weft/kernels/collective/cuda.cuh"
#include "weft/kernels/collective/nccl_ranks.cuh"

namespace WEFT_NAMESPACE::comm {

// Making one is a call of all ranks of the program, whichever it connects.
class NcclCommunicator final : public kernels::CudaCommunicator {
 public:
  explicit NcclCommunicator(const RankSubset& subset = {}) : subset_(subset) {
    if (ranks_.size() == 1) return;
    require_cuda(device_);
    DeviceGuard guard(device_.ordinal);
    stream_ = Stream();
    begin_.emplace_back();
    std::string id(sizeof(ncclUniqueId), '\0');
    if (ranks_.rank() == 0) {
      ncclUniqueId made;
      check_nccl(ncclGetUniqueId(&made), "ncclGetUniqueId");
      id.assign(made.internal, sizeof made.internal);
    }
    ranks_.share(id);
    if (id.size() != sizeof(ncclUniqueId)) throw Error("comm/nccl", "rank 0 has another version of NCCL");
    connect(id);
    ranks_.add(comm_);
    warm_up();
  }
  ~NcclCommunicator() override {
    if (comm_ != nullptr) ranks_.remove(comm_, std::uncaught_exceptions() > 0);  // others may wait for ever
  }

  int rank() const override { return (ranks_.rank() - subset_.first) / subset_.stride; }
  int size() const override { return subset_.count > 0 ? subset_.count : ranks_.size(); }

  void reserve(int request, i64 count, DType dtype) override {
    if (dtype != DType::f32 && dtype != DType::f64)
      throw Error("comm/dtype", "a sum over ranks is of f32 or f64");
    int ordinal = 0;
    cuda_check(cudaGetDevice(&ordinal), "cudaGetDevice");
    check_device(ordinal);
    if (size() == 1) return;
    while (static_cast<int>(sums_.size()) <= request) sums_.emplace_back();
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    sum.cut = kernels::cut_bucket(count, size());
    sum.dtype = dtype;
    make_room(sum);
  }
  // Of parts that are equal: of group_collective.
  void reserve_scatter_into(int request, const i64* bounds, DType dtype) override {
    reserve(request, bounds[size()], dtype);
    if (size() == 1) return;
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    sum.cut = {0, bounds[1] - bounds[0]};
    make_room(sum);
  }

  void start_sum(int request, void* data, cudaStream_t stream) override {
    if (size() == 1) return;
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    used_ = true;
    begin_[0].record(stream);
    begin_[0].block(stream_.get());
    auto* const at = static_cast<std::byte*>(data);
    exchange(sum, at);
    kernels::enqueue_add_ranks(sum.dtype, data, pieces_.data(), sum.cut, rank(), size(), stream_.get());
    if (sum.cut.share > 0) {
      const std::size_t bytes = bytes_of(sum, sum.cut.share);
      all_gather(at + bytes * static_cast<std::size_t>(rank()), at, bytes, stream_.get());
    }
    sum.end.record(stream_.get());
  }
  using CudaCommunicator::start_scatter;
  void start_scatter(int request, const void* from, void* to, cudaStream_t stream) override {
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    used_ = true;
    begin_[0].record(stream);
    begin_[0].block(stream_.get());
    const std::size_t bytes = bytes_of(sum, sum.cut.rest);
    const auto* const parts = static_cast<const std::byte*>(from);
    cuda_copy(to, parts + bytes * static_cast<std::size_t>(rank()), bytes, stream_.get());
    each_peer([&](int r, std::size_t k) {
      send(parts + bytes * k, bytes, r, stream_.get());
      receive(pieces_.data() + bytes * k, bytes, r, stream_.get());
    });
    kernels::enqueue_add_ranks(sum.dtype, to, pieces_.data(), sum.cut, rank(), size(), stream_.get());
    sum.end.record(stream_.get());
  }
  void gather(const void* from, void* to, i64 bytes, cudaStream_t stream) override {
    const auto length = static_cast<std::size_t>(bytes);
    cuda_copy(static_cast<std::byte*>(to) + length * static_cast<std::size_t>(rank()), from, length, stream);
    if (size() > 1)
      all_gather(static_cast<std::byte*>(to) + length * static_cast<std::size_t>(rank()), to, length, stream);
  }
  void wait_sum(int request, cudaStream_t stream) override {
    if (size() > 1) sums_[static_cast<std::size_t>(request)].end.block(stream);
  }
  void broadcast(void* data, i64 bytes, cudaStream_t stream) override {
    if (size() == 1) return;
    give(data, static_cast<std::size_t>(bytes), stream);
    ranks_.launched("broadcast of rank 0's statistics", stream);
  }
  void check() override { ranks_.check(); }
  void launched(const char* what, cudaStream_t stream) override {
    if (size() > 1) ranks_.launched(what, stream);
  }

  // The same in the thread's stream of the rank's GPU.
  void start_sum(int request, void* data, i64, DType) override {
    DeviceGuard guard(device_.ordinal);
    start_sum(request, data, cudaStreamPerThread);
  }
  void wait_sum(int request) override {
    DeviceGuard guard(device_.ordinal);
    wait_sum(request, cudaStreamPerThread);
    finish("sum over ranks", cudaStreamPerThread);
  }
  void progress() override {}  // a GPU goes on by itself

  // Of memory of the host or of the rank's GPU, behind all that the GPU has to do; complete on return.
  void broadcast(void* data, i64 bytes) override {
    if (size() == 1 || bytes == 0) return;
    const auto length = static_cast<std::size_t>(bytes);
    DeviceGuard guard(device_.ordinal);
    settle();
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
    const bool is_here = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    if (is_here) check_device(attributes.device);
    const DeviceBuffer staged(is_here ? 0 : length);
    void* const at = is_here ? data : staged.data();
    if (!is_here) cuda_copy(at, data, length, stream_.get());
    give(at, length, stream_.get());
    finish("broadcast of rank 0's values", stream_.get());
    if (!is_here) cuda_copy(data, at, length, stream_.get());
    stream_.synchronize();
  }
  // Of memory of the host.
  void all_gather(const void* from, void* to, i64 bytes) override {
    const auto length = static_cast<std::size_t>(bytes);
    if (size() == 1) std::memcpy(to, from, length);
    if (size() == 1 || bytes == 0) return;
    DeviceGuard guard(device_.ordinal);
    settle();
    const DeviceBuffer staged(length * static_cast<std::size_t>(size()));
    std::byte* const own = staged.data() + length * static_cast<std::size_t>(rank());
    cuda_copy(own, from, length, stream_.get());
    all_gather(own, staged.data(), length, stream_.get());
    finish("gathering of what the ranks have", stream_.get());
    cuda_copy(to, staged.data(), staged.size(), stream_.get());
    stream_.synchronize();
  }

 private:
  struct Sum {
    kernels::BucketCut cut;
    DType dtype{};
    Event end;
  };
  void check(ncclResult_t status, const char* what) const { check_nccl(status, what, comm_); }
  void check_device(int ordinal) const {
    if (ordinal == device_.ordinal) return;
    throw Error("comm/device", "rank " + std::to_string(rank()) + " trains on Cuda{" +
                                   std::to_string(ordinal) + "} and has Cuda{" +
                                   std::to_string(device_.ordinal) +
                                   "}: make_trainer<Net>(world.device(), ...) of const comm::Nccl world");
  }
  static ncclDataType_t type_of(const Sum& sum) {
    return sum.dtype == DType::f32 ? ncclFloat32 : ncclFloat64;
  }
  static std::size_t bytes_of(const Sum& sum, i64 elements) {
    return static_cast<std::size_t>(elements * size_of(sum.dtype));
  }

  // For the pieces of a sum.
  void make_room(const Sum& sum) {
    const std::size_t bytes = bytes_of(sum, sum.cut.piece() * size());
    if (pieces_.size() >= bytes) return;
    if (used_) kept_.push_back(std::move(pieces_));  // a graph may have it
    pieces_ = DeviceBuffer(bytes);
    cuda_zero(pieces_.data(), bytes, stream_.get());  // a sum that is aborted adds what is there
    used_ = false;
  }
  // f(rank of the program, number here) of each other rank, as one group of calls.
  template <class F>
  void each_peer(const F& f) {
    check(ncclGroupStart(), "ncclGroupStart");
    for (int r = 0; r < size(); ++r)
      if (r != rank()) f(subset_.first + r * subset_.stride, static_cast<std::size_t>(r));
    check(ncclGroupEnd(), "ncclGroupEnd");
  }
  void send(const void* from, std::size_t bytes, int rank, cudaStream_t stream) {
    check(ncclSend(from, bytes, ncclChar, rank, comm_, stream), "ncclSend");
  }
  void receive(void* to, std::size_t bytes, int rank, cudaStream_t stream) {
    check(ncclRecv(to, bytes, ncclChar, rank, comm_, stream), "ncclRecv");
  }
  // Each rank's bytes, of which this one's lie in their place, to all that are connected here.
  void all_gather(const void* own, void* to, std::size_t bytes, cudaStream_t stream) {
    if (subset_.count == 0) {
      check(ncclAllGather(own, to, bytes, ncclChar, comm_, stream), "ncclAllGather");
      return;
    }
    each_peer([&](int r, std::size_t k) {
      send(own, bytes, r, stream);
      receive(static_cast<std::byte*>(to) + bytes * k, bytes, r, stream);
    });
  }
  // The first rank's bytes, to all that are connected here.
  void give(void* data, std::size_t bytes, cudaStream_t stream) {
    if (subset_.count == 0) {
      check(ncclBroadcast(data, data, bytes, ncclChar, 0, comm_, stream), "ncclBroadcast");
      return;
    }
    each_peer([&](int r, std::size_t k) {
      if (rank() == 0) send(data, bytes, r, stream);
      if (k == 0) receive(data, bytes, r, stream);
    });
  }
  // Each rank gets its share, and the rest, of all the others.
  void exchange(const Sum& sum, std::byte* data) {
    const auto share = static_cast<std::size_t>(sum.cut.share), rest = static_cast<std::size_t>(sum.cut.rest);
    const std::size_t share_bytes = bytes_of(sum, sum.cut.share),
                      piece_bytes = bytes_of(sum, sum.cut.piece());
    std::byte* const behind = data + share_bytes * static_cast<std::size_t>(size());
    each_peer([&](int r, std::size_t k) {
      std::byte* const to = pieces_.data() + piece_bytes * k;
      if (share > 0) {
        send(data + share_bytes * k, share_bytes, r, stream_.get());
        receive(to, share_bytes, r, stream_.get());
      }
      if (rest > 0) {
        send(behind, piece_bytes - share_bytes, r, stream_.get());
        receive(to + share_bytes, piece_bytes - share_bytes, r, stream_.get());
      }
    });
  }
  void settle() {
    check();
    cuda_wait_for_device();
  }
  // The host waits for other ranks.
  void finish(const char* what, cudaStream_t stream) {
    ranks_.launched(what, stream);
    cuda_await([](CudaWatch& watch) { return watch.is_idle(); });
  }

  // Waits for every rank, in a thread, which a rank that never comes may keep.
  void connect(const std::string& id) {
    struct Attempt {
      ncclUniqueId id;
      std::atomic<bool> done{false};
      ncclComm_t comm = nullptr;
      ncclResult_t status = ncclSuccess;
      std::string words;
    };
    const auto attempt = std::make_shared<Attempt>();
    std::memcpy(attempt->id.internal, id.data(), id.size());
    std::thread([attempt, ordinal = device_.ordinal, size = ranks_.size(), rank = ranks_.rank()] {
      if (cudaSetDevice(ordinal) == cudaSuccess)
        attempt->status = ncclCommInitRank(&attempt->comm, size, attempt->id, rank);
      else
        attempt->status = ncclUnhandledCudaError;
      if (attempt->status != ncclSuccess) attempt->words = ncclGetLastError(nullptr);
      attempt->done = true;
    }).detach();
    ranks_.wait("connection of the ranks", [&] { return attempt->done.load(); });
    if (attempt->status != ncclSuccess)
      throw Error("comm/nccl", std::string("ncclCommInitRank: ") + ncclGetErrorString(attempt->status) +
                                   " (" + attempt->words + ")");
    comm_ = attempt->comm;
  }
  // Connections are made by the first transfer of each kind, which is better not a capture.
  void warm_up() {
    reserve(0, 32 * size() + 1, DType::f32);
    const DeviceBuffer data(static_cast<std::size_t>(4 * (32 * size() + 1)));
    cuda_zero(data.data(), data.size(), cudaStreamPerThread);
    start_sum(0, data.data(), 0, DType::f32);
    wait_sum(0);
    u8 byte = 0;
    broadcast(&byte, 1);
    used_ = false;
  }

  NcclRanks& ranks_ = NcclRanks::get();
  RankSubset subset_;
  Cuda device_ = ranks_.device();
  Stream stream_{cudaStreamPerThread};  // of its own where there are other ranks
  ncclComm_t comm_ = nullptr;
  std::vector<Event> begin_;  // one: where a sum begins
  std::deque<Sum> sums_;      // by request
  DeviceBuffer pieces_;       // of the other ranks, in one sum after the other
  std::vector<DeviceBuffer> kept_;
  bool used_ = false;
};

// This process's place among the ranks; comm::ddp<comm::Nccl> trains on them, each on a GPU of its own.
//
//   const comm::Nccl world;
//   auto trainer = make_trainer<Net>(world.device(), loss, in<...>, ..., comm::ddp<comm::Nccl>);
class Nccl {
 public:
  using device_type = Cuda;

  // Connects the ranks, unless they are. Throws "comm/environment", "comm/connect", "comm/timeout".
  Nccl() { NcclRanks::get(); }

  // [0, size())
  int rank() const { return NcclRanks::get().rank(); }
  // Processes.
  int size() const { return NcclRanks::get().size(); }
  // The GPU of this rank: the one with its number on this machine, of those that the process sees.
  Cuda device() const { return NcclRanks::get().device(); }

  // Ends this process at once, with a status that is not 0; the others see it end where they wait
  // ("comm/rank").
  [[noreturn]] void abort(int status = 1) const { std::_Exit(status); }

  static Shared<Communicator> connect() { return Shared<Communicator>(new NcclCommunicator); }
  // The group of `degree` ranks that this one is of, and the ranks that have its place in theirs. Calls of
  // all ranks.
  static Shared<Communicator> connect_group(int degree) {
    const Nccl at;
    return Shared<Communicator>(
        new NcclCommunicator(RankSubset::group("Nccl", degree, at.rank(), at.size())));
  }
  static Shared<Communicator> connect_across(int degree) {
    const Nccl at;
    return Shared<Communicator>(
        new NcclCommunicator(RankSubset::across("Nccl", degree, at.rank(), at.size())));
  }
};

}  // namespace WEFT_NAMESPACE::comm
