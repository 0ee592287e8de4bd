#pragma once
// Ranks connected by MPI (MPI: A Message-Passing Interface Standard, version 3.1): Open MPI, MPICH or another
// implementation that the program is built and started with.
//
// Pieces move by all-to-all and all-gather, non-blocking, and are added here, in the order of ranks. The
// program is started by mpirun or srun; one that is started alone is rank 0 of 1.

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/comm/mpi_process.hpp"
#include "weft/comm/tensor_parallel.hpp"

namespace WEFT_NAMESPACE {

namespace comm {

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(const RankSubset& ranks = {}, bool of_parts = false)
      : ranks_(met(ranks)),
        of_parts_(of_parts),
        exchange_(ranks),
        gather_(ranks),
        state_(ranks),
        control_(ranks) {
    MPI_Comm_rank(exchange_, &rank_);
    MPI_Comm_size(exchange_, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum_by_engine() override { by_engine_ = true; }

  void reserve(int request, i64 count, DType dtype) override {
    if (count > INT_MAX)
      throw Error("comm/size", "a bucket of " + std::to_string(count) +
                                   " gradients, more than MPI counts: a parameter this large is none that "
                                   "comm::Mpi sums");
    const i64 share = (count + size_ - 1) / size_;
    std::vector<i64> bounds(static_cast<std::size_t>(size_) + 1);
    for (std::size_t r = 0; r < bounds.size(); ++r) bounds[r] = std::min(static_cast<i64>(r) * share, count);
    reserve_pieces(request, bounds.data(), dtype);
  }
  void reserve_pieces(int request, const i64* bounds, DType dtype) override {
    const std::size_t bytes = place_pieces(request, bounds, dtype);
    sums_[static_cast<std::size_t>(request)].pieces.resize(bytes);
  }
  // At most two are under way, so that what is sent and received takes no more than two buckets do.
  void reserve_scatter_into(int request, const i64* bounds, DType dtype) override {
    const std::size_t received = place_pieces(request, bounds, dtype),
                      sent = static_cast<std::size_t>(bounds[size_] * size_of(dtype));
    if (size_ == 1) return;
    for (Buffer& buffer : buffers_) {
      if (buffer.sent.size() < sent) buffer.sent.resize(sent);
      if (buffer.received.size() < received) buffer.received.resize(received);
    }
  }
  void start_sum(int request, void* data, i64, DType) override { start(request, data, true, true); }
  void start_scatter(int request, void* data) override { start(request, data, true, false); }
  void start_gather(int request, void* data) override { start(request, data, false, true); }
  void start_scatter_into(int request, const Part* parts, int count, void* to) override {
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    const i64 unit = size_of(sum.dtype);
    if (size_ == 1) {
      for (int k = 0; k < count; ++k)
        add_ranks(sum.dtype, static_cast<std::byte*>(to) + parts[k].begin * unit_added_to(sum.dtype),
                  parts[k].data, parts[k].length, 1, false);
      return;
    }
    sum.buffer = next_buffer_;
    next_buffer_ = 1 - next_buffer_;
    Buffer& buffer = buffers_[sum.buffer];
    if (buffer.request >= 0) wait_pieces(buffer.request);
    buffer.request = request;
    const auto last = static_cast<std::size_t>(size_ - 1);
    const i64 length = sum.begin[last] + sum.length[last];
    std::memset(buffer.sent.data(), 0, static_cast<std::size_t>(length * unit));
    for (int k = 0; k < count; ++k)
      std::memcpy(buffer.sent.data() + parts[k].begin * unit, parts[k].data,
                  static_cast<std::size_t>(parts[k].length * unit));
    sum.data = static_cast<std::byte*>(to);
    sum.adds = true, sum.gathers = false;
    exchange(request, buffer.sent.data(), buffer.received.data());
  }
  void reserve_state(int request, i64 count) override {
    if (count > INT_MAX)
      throw Error("comm/size", "a parameter of " + std::to_string(count) + " elements, more than MPI counts");
    Sum& sum = sum_at(request);
    for (std::vector<int>* list : {&sum.length, &sum.begin}) list->resize(static_cast<std::size_t>(size_));
  }
  void start_state(int request, void* to, i64 begin, i64 count, const Shares& shares, i64 unit) override {
    if (size_ == 1) return;
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    const auto bound = [&](int r) { return static_cast<int>(shares.begin_in(r, size_, begin, count)); };
    for (int r = 0; r < size_; ++r) {
      sum.begin[static_cast<std::size_t>(r)] = bound(r);
      sum.length[static_cast<std::size_t>(r)] = bound(r + 1) - bound(r);
    }
    const MPI_Datatype type = unit == 2 ? MPI_UINT16_T : unit == 4 ? MPI_FLOAT : MPI_DOUBLE;
    detail::check_mpi(MPI_Iallgatherv(MPI_IN_PLACE, 0, type, to, sum.length.data(), sum.begin.data(), type,
                                      state_, &sum.pending),
                      "MPI_Iallgatherv");
    sum.adds = false, sum.gathers = true;
    sum.stage = Stage::gather;
    gathered_.push_back(request);
  }
  void wait_sum(int request) override {
    wait_for(request, of_parts_ ? "sum of parts" : "sum of the gradients");
  }
  void wait_pieces(int request) override {
    const bool gathers = sums_[static_cast<std::size_t>(request)].gathers;
    wait_for(request, gathers     ? "gathering of the parameters"
                      : of_parts_ ? "scatter of parts"
                                  : "sum of pieces of the gradients");
  }
  // The second halves begin in the order of the first, which is that of all ranks.
  void progress() override {
    for (std::size_t k = 0; k < gathered_.size();) {
      Sum& sum = sums_[static_cast<std::size_t>(gathered_[k])];
      if (ended(sum.pending)) {
        sum.stage = Stage::done;
        gathered_.erase(gathered_.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
    }
    while (next_ < begun_.size()) {
      Sum& sum = sums_[static_cast<std::size_t>(begun_[next_])];
      if (sum.adds) {
        if (!ended(sum.pending)) break;
        const auto own = static_cast<std::size_t>(rank_);
        const bool anew = sum.buffer < 0;
        const i64 unit = anew ? size_of(sum.dtype) : unit_added_to(sum.dtype);
        const auto& pieces = anew ? sum.pieces : buffers_[sum.buffer].received;
        add_ranks(sum.dtype, sum.data + sum.begin[own] * unit, pieces.data(), sum.length[own],
                  by_engine_ ? 1 : size_, anew);
        if (!anew) buffers_[sum.buffer].request = -1;
      }
      sum.stage = sum.gathers ? Stage::gather : Stage::done;
      if (sum.gathers) {
        const MPI_Datatype type = type_of(sum.dtype);
        detail::check_mpi(MPI_Iallgatherv(MPI_IN_PLACE, 0, type, sum.data, sum.length.data(),
                                          sum.begin.data(), type, gather_, &sum.pending),
                          "MPI_Iallgatherv");
      }
      ++next_;
    }
    bool all = next_ == begun_.size();
    for (std::size_t k = 0; k < next_; ++k) {
      Sum& sum = sums_[static_cast<std::size_t>(begun_[k])];
      if (sum.stage == Stage::gather && ended(sum.pending)) sum.stage = Stage::done;
      all = all && sum.stage == Stage::done;
    }
    if (all) {
      begun_.clear();
      next_ = 0;
    }
  }

  void broadcast(void* data, i64 bytes) override {
    if (size_ == 1) return;
    auto* at = static_cast<std::byte*>(data);
    for (i64 left = bytes; left > 0;) {
      const int part = static_cast<int>(std::min(left, i64{1} << 30));
      MPI_Request pending = MPI_REQUEST_NULL;
      detail::check_mpi(MPI_Ibcast(at, part, MPI_BYTE, 0, exchange_, &pending), "MPI_Ibcast");
      wait("broadcast of rank 0's values", [&] { return ended(pending); });
      at += part;
      left -= part;
    }
  }
  void all_gather(const void* from, void* to, i64 bytes) override {
    if (bytes > INT_MAX)
      throw Error("comm/size",
                  "a value of " + std::to_string(bytes) + " bytes from each rank, more than MPI counts");
    MPI_Request pending = MPI_REQUEST_NULL;
    detail::check_mpi(MPI_Iallgather(from, static_cast<int>(bytes), MPI_BYTE, to, static_cast<int>(bytes),
                                     MPI_BYTE, exchange_, &pending),
                      "MPI_Iallgather");
    wait("gathering of what the ranks have", [&] { return ended(pending); });
  }
  void gather_pieces(void* data, const i64* bounds, i64 unit) override {
    if (size_ == 1) return;
    if (bounds[size_] > INT_MAX) throw Error("comm/size", "a vector of more units than MPI counts");
    std::vector<int> begin(static_cast<std::size_t>(size_)), length(begin.size());
    for (int r = 0; r < size_; ++r) {
      begin[static_cast<std::size_t>(r)] = static_cast<int>(bounds[r]);
      length[static_cast<std::size_t>(r)] = static_cast<int>(bounds[r + 1] - bounds[r]);
    }
    const detail::MpiUnit type(unit);
    MPI_Request pending = MPI_REQUEST_NULL;
    detail::check_mpi(
        MPI_Iallgatherv(MPI_IN_PLACE, 0, type, data, length.data(), begin.data(), type, exchange_, &pending),
        "MPI_Iallgatherv");
    wait("gathering of the ranks' pieces", [&] { return ended(pending); });
  }

 private:
  enum class Stage { done, exchange, gather };
  // A sum over ranks: each rank gets its piece of all ranks, adds them, and gives the sum to all. Or one of
  // these halves.
  struct Sum {
    Stage stage = Stage::done;
    DType dtype{};
    bool adds = true, gathers = true;
    std::byte* data = nullptr;
    MPI_Request pending = MPI_REQUEST_NULL;
    std::vector<int> begin, length;  // of each rank's piece
    std::vector<int> received, received_at;
    std::vector<std::byte> pieces;  // of all ranks, this rank's piece
    int buffer = -1;                // in place of `pieces`, where the sum goes elsewhere than it comes from
  };
  // Of a sum that is under way: what this rank sends, and what it has of all ranks.
  struct Buffer {
    int request = -1;
    std::vector<std::byte> sent, received;
  };

  Sum& sum_at(int request) {
    const auto k = static_cast<std::size_t>(request);
    if (sums_.size() <= k) sums_.resize(k + 1);
    return sums_[k];
  }
  // Notes where each rank's piece lies; returns the bytes of this rank's from all ranks.
  std::size_t place_pieces(int request, const i64* bounds, DType dtype) {
    if (bounds[size_] > INT_MAX) throw Error("comm/size", "a vector of more elements than MPI counts");
    Sum& sum = sum_at(request);
    sum.dtype = dtype;
    if (size_ == 1) return 0;
    for (std::vector<int>* list : {&sum.length, &sum.begin, &sum.received, &sum.received_at})
      list->resize(static_cast<std::size_t>(size_));
    const int own = static_cast<int>(bounds[rank_ + 1] - bounds[rank_]);
    for (int r = 0; r < size_; ++r) {
      const auto k = static_cast<std::size_t>(r);
      sum.begin[k] = static_cast<int>(bounds[r]);
      sum.length[k] = static_cast<int>(bounds[r + 1] - bounds[r]);
      sum.received[k] = own;
      sum.received_at[k] = r * own;
    }
    if (static_cast<i64>(own) * size_ > INT_MAX)
      throw Error("comm/size", "a piece of " + std::to_string(own) +
                                   " elements from each rank, more than MPI counts: take smaller buckets");
    return static_cast<std::size_t>(own) * static_cast<std::size_t>(size_) *
           static_cast<std::size_t>(size_of(dtype));
  }

  void start(int request, void* data, bool adds, bool gathers) {
    if (size_ == 1) return;
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    sum.data = static_cast<std::byte*>(data);
    sum.adds = adds, sum.gathers = gathers;
    if (adds) {
      exchange(request, data, sum.pieces.data());
    } else {
      sum.stage = Stage::exchange;
      begun_.push_back(request);
    }
  }
  void exchange(int request, const void* data, std::byte* received) {
    Sum& sum = sums_[static_cast<std::size_t>(request)];
    sum.stage = Stage::exchange;
    const MPI_Datatype type = type_of(sum.dtype);
    if (by_engine_)
      detail::check_mpi(
          MPI_Ireduce_scatter(data, received, sum.length.data(), type, MPI_SUM, exchange_, &sum.pending),
          "MPI_Ireduce_scatter");
    else
      detail::check_mpi(
          MPI_Ialltoallv(data, sum.length.data(), sum.begin.data(), type, received, sum.received.data(),
                         sum.received_at.data(), type, exchange_, &sum.pending),
          "MPI_Ialltoallv");
    begun_.push_back(request);
  }
  void wait_for(int request, const char* what) {
    if (size_ == 1) return;
    const Sum& sum = sums_[static_cast<std::size_t>(request)];
    const auto done = [&] {
      progress();
      return sum.stage == Stage::done;
    };
    wait(what, done, [&] {
      return scope_of(request) + ", request " + std::to_string(request) + " of " +
             std::to_string(sums_.size());
    });
  }

  static MPI_Datatype type_of(DType dtype) {
    if (dtype == DType::f32) return MPI_FLOAT;
    if (dtype == DType::f64) return MPI_DOUBLE;
    if (dtype == DType::bf16) return MPI_UINT16_T;  // that is moved, and added here
    throw Error("comm/dtype", "a sum over ranks is of f32, f64 or bf16");
  }
  static bool ended(MPI_Request& pending) {
    int done = 0;
    detail::check_mpi(MPI_Test(&pending, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

  // Until done(); ranks that wait too say so when half of the time is over, and the others are named, behind
  // what is waited for, which more() tells the rest of.
  template <class Done>
  void wait(const char* what, const Done& done) {
    wait(what, done, [] { return std::string(); });
  }
  template <class Done, class More>
  void wait(const char* what, const Done& done, const More& more) {
    using Clock = std::chrono::steady_clock;
    ++waits_;
    if (done()) return;
    const double most = rank_timeout();
    const auto start = Clock::now();
    std::vector<u8> heard;
    for (i64 turn = 1; !done(); ++turn) {
      if (turn % 64 != 0) continue;
      std::this_thread::yield();  // to another rank on this core
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (heard.empty() && 2 * seconds > most) {
        heard.resize(static_cast<std::size_t>(size_), 0);
        tell_all();
      }
      if (!heard.empty()) listen(heard);
      if (seconds > most) give_up(what + more(), heard);
    }
  }
  void tell_all() {
    for (int r = 0; r < size_; ++r) {
      MPI_Request sent = MPI_REQUEST_NULL;
      if (r == rank_) continue;
      detail::check_mpi(MPI_Isend(&waits_, 1, MPI_INT64_T, r, 0, control_, &sent), "MPI_Isend");
      MPI_Request_free(&sent);
    }
  }
  void listen(std::vector<u8>& heard) {
    MPI_Status status;
    for (int there = 1; there != 0;) {
      detail::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, control_, &there, &status), "MPI_Iprobe");
      if (there == 0) break;
      i64 at = 0;
      detail::check_mpi(MPI_Recv(&at, 1, MPI_INT64_T, status.MPI_SOURCE, 0, control_, MPI_STATUS_IGNORE),
                        "MPI_Recv");
      if (at == waits_) heard[static_cast<std::size_t>(status.MPI_SOURCE)] = 1;
    }
  }
  [[noreturn]] void give_up(const std::string& what, const std::vector<u8>& heard) {
    std::string silent;
    for (int r = 0; r < size_; ++r)
      if (r != rank_ && heard[static_cast<std::size_t>(r)] == 0)
        silent += (silent.empty() ? "" : ", ") + std::to_string(ranks_.first + r * ranks_.stride);
    detail::fail_silent(what, silent);
  }

  static RankSubset met(const RankSubset& ranks) {
    detail::MpiProcess::get();
    detail::meet(ranks, "connection of the ranks");
    return ranks;
  }

  detail::MpiProcess& process_ = detail::MpiProcess::get();
  RankSubset ranks_;
  bool of_parts_;           // the ranks have the parts of one model
  bool by_engine_ = false;  // sums are MPI's own
  detail::MpiGroup exchange_, gather_, state_, control_;
  int rank_ = 0, size_ = 1;
  std::vector<Sum> sums_;  // by request
  Buffer buffers_[2];
  int next_buffer_ = 0;
  std::vector<int> begun_;     // requests of this step, in their order
  std::vector<int> gathered_;  // requests of state that are under way
  std::size_t next_ = 0;       // of these, the first whose second half has not begun
  i64 waits_ = 0;
};

// This process's place among the ranks that mpirun or srun has started; comm::ddp<comm::Mpi> trains on them.
//
//   comm::Mpi world;
//   auto batches = data::loader<32>(train, {.shuffle = true, .rank = world.rank(), .ranks = world.size()});
class Mpi {
 public:
  // Begins MPI, unless the program has; it ends with the process.
  Mpi() { detail::MpiProcess::get(); }

  // [0, size())
  int rank() const {
    int r = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    return r;
  }
  // Processes.
  int size() const {
    int n = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
  }

  // Ends this process and all other ranks, which may wait for it, with a status that is not 0.
  [[noreturn]] void abort(int status = 1) const {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

  static Shared<Communicator> connect() { return Shared<Communicator>(new MpiCommunicator); }
  // The group of `degree` ranks that this one is of, and the ranks that have its place in theirs.
  static Shared<Communicator> connect_group(int degree) {
    const Mpi at;
    return Shared<Communicator>(
        new MpiCommunicator(RankSubset::group("Mpi", degree, at.rank(), at.size()), true));
  }
  static Shared<Communicator> connect_across(int degree) {
    const Mpi at;
    return Shared<Communicator>(new MpiCommunicator(RankSubset::across("Mpi", degree, at.rank(), at.size())));
  }
};

}  // namespace comm
}  // namespace WEFT_NAMESPACE
