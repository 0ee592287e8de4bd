#pragma once
// What a program asks of NCCL. Pieces move by grouped sends and receives, are added by a kernel here in the
// order of ranks, and given to all by all-gather, in a stream beside the program's, inside its captured
// graph.

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
  explicit NcclCommunicator(const RankSubset& subset = {}, bool of_parts = false)
      : subset_(subset), of_parts_(of_parts) {
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
    comm_ = ranks_.connect(id);
    ranks_.add(comm_);
    warm_up();
  }
  ~NcclCommunicator() override {
    if (comm_ != nullptr) ranks_.remove(comm_, std::uncaught_exceptions() > 0);  // others may wait for ever
  }

  int rank() const override { return (ranks_.rank() - subset_.first) / subset_.stride; }
  int size() const override { return subset_.count > 0 ? subset_.count : ranks_.size(); }
  void sum_by_engine() override {
    if (subset_.count > 0)
      throw Error("comm/backend",
                  "NCCL's own reductions are here of all ranks: beside tensor parallel layers leave "
                  "comm::Reduction{.by_engine = true} out");
    by_engine_ = true;
  }

  void reserve(int request, i64 count, DType dtype) override {
    Sum& sum = new_sum(request, dtype);
    if (size() == 1) return;
    sum.cut = kernels::cut_bucket(count, size());
    make_room(bytes_of(sum, sum.cut.piece()));
  }
  void reserve_pieces(int request, const i64* bounds, DType dtype) override {
    Sum& sum = new_sum(request, dtype);
    if (size() == 1) return;
    sum.bounds.assign(bounds, bounds + size() + 1);
    make_room(sum.bytes_of(rank()));
  }
  void reserve_scatter_into(int request, const i64* bounds, DType dtype) override {
    reserve_pieces(request, bounds, dtype);
    if (size() == 1 || of_parts_) return;
    for (Staging& staging : staging_) grow(staging.room, bytes_of(sum_of(request), bounds[size()]));
  }

  void start_sum(int request, void* data, cudaStream_t stream) override {
    if (size() == 1) return;
    Sum& sum = begin(request, stream);
    auto* const at = static_cast<std::byte*>(data);
    if (by_engine_) {
      check(ncclAllReduce(at, at, static_cast<std::size_t>(sum.cut.share * size() + sum.cut.rest),
                          type_of(sum), ncclSum, comm_, stream_.get()),
            "ncclAllReduce");
      sum.end.record(stream_.get());
      return;
    }
    exchange(sum, at);
    kernels::enqueue_add_ranks(
        kernels::RankSum::of_bucket(sum.dtype, data, pieces_.data.data(), sum.cut, rank(), size()),
        stream_.get());
    if (sum.cut.share > 0) {
      const std::size_t bytes = bytes_of(sum, sum.cut.share);
      all_gather(at + bytes * static_cast<std::size_t>(rank()), at, bytes, stream_.get());
    }
    sum.end.record(stream_.get());
  }
  void start_scatter(int request, void* data, cudaStream_t stream) override {
    if (size() == 1) return;
    auto* const own = static_cast<std::byte*>(data) + sum_of(request).begin_of(rank());
    scatter(begin(request, stream), data, own, false);
  }
  void start_gather(int request, void* data, cudaStream_t stream) override {
    if (size() == 1) return;
    Sum& sum = begin(request, stream);
    gather_in(
        data, [&](int r) { return sum.bounds[static_cast<std::size_t>(r)]; }, size_of(sum.dtype),
        stream_.get());
    sum.end.record(stream_.get());
  }
  // Parts are put together where they may be sent from while the program goes on; what was sent from there
  // before has ended then. Those of a group, which waits at once, are one, and sent from where it lies.
  void start_scatter_into(int request, const Part* parts, int count, void* to, cudaStream_t stream) override {
    Sum& sum = sum_of(request);
    const i64 unit = size_of(sum.dtype);
    auto* const into = static_cast<std::byte*>(to);
    if (size() == 1) {
      for (const Part* part = parts; part != parts + count; ++part)
        kernels::enqueue_add_ranks(
            kernels::RankSum::of_piece(sum.dtype, into + part->begin * unit_added_to(sum.dtype), part->data,
                                       nullptr, part->length, 0, 1, true),
            stream);
      return;
    }
    const i64 own = sum.begin_of(rank()) / unit * unit_added_to(sum.dtype);
    if (of_parts_) return scatter(begin(request, stream), parts->data, into + own, true);
    Staging& staging = staging_[next_staging_];
    next_staging_ = 1 - next_staging_;
    if (staging.request >= 0) sum_of(staging.request).end.block(stream);
    staging.request = request;
    staging.room.used = true;
    std::byte* const sent = staging.room.data.data();
    cuda_zero(sent, bytes_of(sum, sum.bounds.back()), stream);
    for (const Part* part = parts; part != parts + count; ++part)
      cuda_copy(sent + part->begin * unit, part->data, bytes_of(sum, part->length), stream);
    scatter(begin(request, stream), sent, into + own, true);
  }
  void reserve_state(int request, i64) override { new_sum(request, DType::f32); }
  void start_state(int request, void* to, i64 begin, i64 count, const Shares& shares, i64 unit,
                   cudaStream_t stream) override {
    if (size() == 1) return;
    Sum& sum = this->begin(request, stream);
    gather_in(
        to, [&](int r) { return shares.begin_in(r, size(), begin, count); }, unit, stream_.get());
    sum.end.record(stream_.get());
  }
  void gather(const void* from, void* to, i64 bytes, cudaStream_t stream) override {
    const auto length = static_cast<std::size_t>(bytes);
    cuda_copy(static_cast<std::byte*>(to) + length * static_cast<std::size_t>(rank()), from, length, stream);
    if (size() > 1)
      all_gather(static_cast<std::byte*>(to) + length * static_cast<std::size_t>(rank()), to, length, stream);
  }
  void reserve_max(int request, i64 count) override {
    const Sum& sum = new_sum(request, DType::f32);
    if (size() > 1) grow(gathered_, bytes_of(sum, count * size()));
  }
  void max(int request, const f32* from, f32* to, i64 count, cudaStream_t stream) override {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(f32);
    if (size() == 1) return cuda_copy(to, from, bytes, stream);
    Sum& sum = begin(request, stream);
    gathered_.used = true;
    std::byte* const own = gathered_.data.data() + bytes * static_cast<std::size_t>(rank());
    cuda_copy(own, from, bytes, stream_.get());
    all_gather(own, gathered_.data.data(), bytes, stream_.get());
    kernels::enqueue_max_ranks(to, reinterpret_cast<const f32*>(gathered_.data.data()), count, size(),
                               stream_.get());
    sum.end.record(stream_.get());
    sum.end.block(stream);
  }
  void await(int request, cudaStream_t stream) override {
    if (sum_of(request).begun) wait_sum(request, stream);
  }
  void wait_sum(int request, cudaStream_t stream) override {
    if (size() == 1) return;
    sum_of(request).begun = false;
    sum_of(request).end.block(stream);
    for (Staging& staging : staging_)
      if (staging.request == request) staging.request = -1;
  }
  void gather_pieces(void* data, const i64* bounds, i64 unit, cudaStream_t stream) override {
    if (size() == 1) return;
    gather_in(
        data, [&](int r) { return bounds[r]; }, unit, stream);
    ranks_.launched("gathering of the ranks' pieces", stream);
  }
  void broadcast(void* data, i64 bytes, cudaStream_t stream) override {
    if (size() == 1) return;
    give(data, static_cast<std::size_t>(bytes), stream);
    ranks_.launched("broadcast of rank 0's statistics", stream);
  }
  void check() override { ranks_.check(); }
  void launched(const char* what, cudaStream_t stream) override {
    if (size() == 1) return;
    if (step_text_.empty()) step_text_ = what + scope_of_all();
    ranks_.launched(step_text_, stream);
  }

  // The same in the thread's stream of the rank's GPU.
  void start_sum(int request, void* data, i64, DType) override {
    DeviceGuard guard(device_.ordinal);
    start_sum(request, data, cudaStreamPerThread);
  }
  void start_scatter(int request, void* data) override {
    DeviceGuard guard(device_.ordinal);
    start_scatter(request, data, cudaStreamPerThread);
  }
  void start_gather(int request, void* data) override {
    DeviceGuard guard(device_.ordinal);
    start_gather(request, data, cudaStreamPerThread);
  }
  void start_scatter_into(int request, const Part* parts, int count, void* to) override {
    DeviceGuard guard(device_.ordinal);
    start_scatter_into(request, parts, count, to, cudaStreamPerThread);
  }
  void start_state(int request, void* to, i64 begin, i64 count, const Shares& shares, i64 unit) override {
    DeviceGuard guard(device_.ordinal);
    start_state(request, to, begin, count, shares, unit, cudaStreamPerThread);
  }
  void gather_pieces(void* data, const i64* bounds, i64 unit) override {
    DeviceGuard guard(device_.ordinal);
    gather_pieces(data, bounds, unit, cudaStreamPerThread);
    finish("gathering of the ranks' pieces", cudaStreamPerThread);
  }
  void wait_sum(int request) override {
    DeviceGuard guard(device_.ordinal);
    wait_sum(request, cudaStreamPerThread);
    finish("sum over ranks", cudaStreamPerThread);
  }
  void wait_pieces(int request) override { wait_sum(request); }
  void await(int request) override {
    if (sum_of(request).begun) wait_sum(request);
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
  // A sum over ranks: of a bucket that all get, or, where it has bounds, of pieces.
  struct Sum {
    kernels::BucketCut cut;
    std::vector<i64> bounds;  // elements
    DType dtype{};
    Event end;
    bool begun = false;  // and not yet waited for, in the order of what is enqueued
    i64 begin_of(int rank) const { return bounds[static_cast<std::size_t>(rank)] * size_of(dtype); }
    std::size_t bytes_of(int rank) const {
      return static_cast<std::size_t>(begin_of(rank + 1) - begin_of(rank));
    }
  };
  // Device memory that grows as requests are made.
  struct Room {
    DeviceBuffer data;
    bool used = false;  // a graph may have it
  };
  // From where a sum's parts are sent; `request`: of the last one, until it is waited for.
  struct Staging {
    Room room;
    int request = -1;
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

  Sum& sum_of(int request) { return sums_[static_cast<std::size_t>(request)]; }
  Sum& new_sum(int request, DType dtype) {
    if (dtype != DType::f32 && dtype != DType::f64 && dtype != DType::bf16)
      throw Error("comm/dtype", "a sum over ranks is of f32, f64 or bf16");
    int ordinal = 0;
    cuda_check(cudaGetDevice(&ordinal), "cudaGetDevice");
    check_device(ordinal);
    while (static_cast<int>(sums_.size()) <= request) sums_.emplace_back();
    Sum& sum = sum_of(request);
    sum.cut = {};
    sum.bounds.clear();
    sum.dtype = dtype;
    return sum;
  }
  // What is enqueued next for the sum runs behind what `stream` has to do.
  Sum& begin(int request, cudaStream_t stream) {
    pieces_.used = true;
    begin_[0].record(stream);
    begin_[0].block(stream_.get());
    sum_of(request).begun = true;
    return sum_of(request);
  }

  // For what comes of the other ranks in a sum, so much of each.
  void make_room(std::size_t bytes) { grow(pieces_, bytes * static_cast<std::size_t>(size())); }
  void grow(Room& room, std::size_t bytes) {
    if (room.data.size() >= bytes) return;
    if (room.used) kept_.push_back(std::move(room.data));
    room = {DeviceBuffer(bytes)};
    cuda_zero(room.data.data(), bytes, stream_.get());  // a sum that is aborted adds what is there
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
  // Each rank's piece of `data`, [bound(r), bound(r + 1)) in units of so many bytes, to all that are
  // connected here.
  template <class Bound>
  void gather_in(void* data, const Bound& bound, i64 unit, cudaStream_t stream) {
    auto* const at = static_cast<std::byte*>(data);
    const auto begin = [&](int r) { return at + bound(r) * unit; };
    const auto bytes = [&](int r) { return static_cast<std::size_t>((bound(r + 1) - bound(r)) * unit); };
    if (subset_.count == 0) {
      check(ncclGroupStart(), "ncclGroupStart");
      for (int r = 0; r < size(); ++r)
        if (bytes(r) > 0)
          check(ncclBroadcast(begin(r), begin(r), bytes(r), ncclChar, r, comm_, stream), "ncclBroadcast");
      check(ncclGroupEnd(), "ncclGroupEnd");
      return;
    }
    each_peer([&](int r, std::size_t k) {
      const int peer = static_cast<int>(k);
      if (bytes(rank()) > 0) send(begin(rank()), bytes(rank()), r, stream);
      if (bytes(peer) > 0) receive(begin(peer), bytes(peer), r, stream);
    });
  }
  // This rank's piece of the sum over ranks of `data` goes to `to`, or is added there.
  void scatter(Sum& sum, const void* data, void* to, bool adds) {
    const auto* const at = static_cast<const std::byte*>(data);
    const std::size_t own = sum.bytes_of(rank());
    if (by_engine_) {
      reduce_to_owners(sum, at);
      kernels::enqueue_add_ranks(
          kernels::RankSum::of_piece(sum.dtype, to, pieces_.data.data(), nullptr,
                                     static_cast<i64>(own) / size_of(sum.dtype), 0, 1, adds),
          stream_.get());
      sum.end.record(stream_.get());
      return;
    }
    each_peer([&](int r, std::size_t k) {
      const int peer = static_cast<int>(k);
      if (sum.bytes_of(peer) > 0) send(at + sum.begin_of(peer), sum.bytes_of(peer), r, stream_.get());
      if (own > 0) receive(pieces_.data.data() + own * k, own, r, stream_.get());
    });
    kernels::enqueue_add_ranks(
        kernels::RankSum::of_piece(sum.dtype, to, at + sum.begin_of(rank()), pieces_.data.data(),
                                   static_cast<i64>(own) / size_of(sum.dtype), rank(), size(), adds),
        stream_.get());
    sum.end.record(stream_.get());
  }
  // Each rank's piece of the sum by NCCL, of this one's rank into pieces_.
  void reduce_to_owners(const Sum& sum, const std::byte* data) {
    check(ncclGroupStart(), "ncclGroupStart");
    for (int r = 0; r < size(); ++r)
      if (sum.bytes_of(r) > 0)
        check(ncclReduce(data + sum.begin_of(r), pieces_.data.data(),
                         sum.bytes_of(r) / static_cast<std::size_t>(size_of(sum.dtype)), type_of(sum),
                         ncclSum, r, comm_, stream_.get()),
              "ncclReduce");
    check(ncclGroupEnd(), "ncclGroupEnd");
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
      std::byte* const to = pieces_.data.data() + piece_bytes * k;
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

  // Connections are made by the first transfer of each kind, which is better not a capture.
  void warm_up() {
    reserve(0, 32 * size() + 1, DType::f32);
    const DeviceBuffer data(static_cast<std::size_t>(4 * (32 * size() + 1)));
    cuda_zero(data.data(), data.size(), cudaStreamPerThread);
    start_sum(0, data.data(), 0, DType::f32);
    wait_sum(0);
    u8 byte = 0;
    broadcast(&byte, 1);
    pieces_.used = false;
  }

  NcclRanks& ranks_ = NcclRanks::get();
  std::string step_text_;
  RankSubset subset_;
  bool of_parts_;           // the ranks have the parts of one model, and wait for each sum where it begins
  bool by_engine_ = false;  // sums are NCCL's own
  Cuda device_ = ranks_.device();
  Stream stream_{cudaStreamPerThread};  // of its own where there are other ranks
  ncclComm_t comm_ = nullptr;
  std::vector<Event> begin_;  // one: where a sum begins
  std::deque<Sum> sums_;      // by request
  Room pieces_;               // of the other ranks, in one sum after the other
  Room gathered_;             // of all ranks, what the largest is looked for in
  Staging staging_[2];
  int next_staging_ = 0;
  std::vector<DeviceBuffer> kept_;
};

}  // namespace WEFT_NAMESPACE::comm
