#pragma once
// This process among the ranks that NCCL connects, and what is watched while its GPU waits for them. Law: a
// wait for a rank that has ended or is silent ends with an Error, and what the GPU waits for is aborted.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weft/comm/control.hpp"
#include "weft/device/cuda.cuh"

#if !__has_include(<nccl.h>)
#error \
    "weft/nccl.hpp: no nccl.h: install NCCL (apt-get install libnccl-dev), or link weft::nccl, which finds it"
#endif
#include <nccl.h>

namespace WEFT_NAMESPACE::comm {

// Throws unless `status` is a success.
inline void check_nccl(ncclResult_t status, const char* what, ncclComm_t comm = nullptr) {
  if (status == ncclSuccess) [[likely]]
    return;
  const char* const last = ncclGetLastError(comm);
  std::string text = std::string(what) + ": " + ncclGetErrorString(status);
  if (last != nullptr && last[0] != '\0') text += " (" + std::string(last) + ")";
  throw Error("comm/nccl", text);
}

class NcclRanks final : public CudaWatch {
 public:
  // Connects the ranks at the first call, which is every rank's.
  static NcclRanks& get() {
    static NcclRanks* const only = new NcclRanks;  // programs that end with the process still ask it
    return *only;
  }

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  // The GPU of this rank: of those that the process sees, the one with its number on this machine.
  Cuda device() const { return Cuda{place_.local_rank % std::max(1, cuda_device_count())}; }

  // Rank 0's bytes become every rank's, over the sockets; before there is a communicator.
  void share(std::string& bytes) {
    if (rank() == 0) {
      for (int r = 1; r < size(); ++r) control_.send(r, Control::Kind::data, bytes);
      return;
    }
    wait("connection of the ranks", [&] { return !shared_.empty(); });
    bytes = std::move(shared_.front());
    shared_.pop_front();
  }
  // Until ready(), where `what` is waited for.
  template <class Ready>
  void wait(const std::string& what, const Ready& ready) {
    {
      const std::lock_guard lock(mutex_);
      begin_wait();
    }
    while (!ready()) {
      {
        const std::lock_guard lock(mutex_);
        check();
        watch(what);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  // A communicator of all ranks by rank 0's id. Waits for every rank, in a thread, which a rank that never
  // comes may keep.
  ncclComm_t connect(const std::string& id) {
    struct Attempt {
      ncclUniqueId id;
      std::atomic<bool> done{false};
      ncclComm_t comm = nullptr;
      ncclResult_t status = ncclSuccess;
      std::string words;
    };
    const auto attempt = std::make_shared<Attempt>();
    std::memcpy(attempt->id.internal, id.data(), id.size());
    std::thread([attempt, ordinal = device().ordinal, size = size(), rank = rank()] {
      if (cudaSetDevice(ordinal) == cudaSuccess)
        attempt->status = ncclCommInitRank(&attempt->comm, size, attempt->id, rank);
      else
        attempt->status = ncclUnhandledCudaError;
      if (attempt->status != ncclSuccess) attempt->words = ncclGetLastError(nullptr);
      attempt->done = true;
    }).detach();
    wait("connection of the ranks", [&] { return attempt->done.load(); });
    if (attempt->status != ncclSuccess)
      throw Error("comm/nccl", std::string("ncclCommInitRank: ") + ncclGetErrorString(attempt->status) +
                                   " (" + attempt->words + ")");
    return attempt->comm;
  }
  void add(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    comms_.push_back(comm);
    ++added_;
  }
  // Ends a communicator with all ranks, or without them; what has failed is aborted already.
  void remove(ncclComm_t comm, bool abort) {
    {
      const std::lock_guard lock(mutex_);
      if (--added_ == 0) {  // events end before the process does
        pending_.clear();
        free_.clear();
      }
      const auto at = std::find(comms_.begin(), comms_.end(), comm);
      if (at == comms_.end()) return finish_aborts();
      comms_.erase(at);
    }
    const ncclResult_t status = abort ? ncclCommAbort(comm) : ncclCommDestroy(comm);
    if (status != ncclSuccess)
      std::fprintf(stderr, "weft: %s: %s\n", abort ? "ncclCommAbort" : "ncclCommDestroy",
                   ncclGetErrorString(status));
  }

  // `what` ends where `stream` has come now.
  void launched(std::string what, cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    if (pending_.empty()) begin_wait();
    if (free_.empty()) free_.emplace_back();
    pending_.push_back({std::move(free_.back()), std::move(what)});
    free_.pop_back();
    pending_.back().end.record(stream);
  }
  // Throws what has failed before.
  void check() const {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw Error(failure_id_, failure_);
  }

  bool is_idle() override {
    const std::lock_guard lock(mutex_);
    check();
    retire();
    return pending_.empty();
  }
  void look() override {
    bool long_wait = false;
    {
      const std::lock_guard lock(mutex_);
      check();
      retire();
      if (pending_.empty()) begin_wait();
      if (++turn_ % 16 == 0) watch(pending_.empty() ? "work of the GPU" : pending_.front().what);
      long_wait = seconds() > 0.002;
    }
    if (long_wait)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    else
      std::this_thread::yield();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    Event end;
    std::string what;
  };

  NcclRanks()
      : place_(Launched::from_environment()), control_(place_), heard_(static_cast<std::size_t>(size()), 0) {
    begin_wait();
    if (size() > 1) cuda_watch().store(this, std::memory_order_release);
  }

  void begin_wait() {
    start_ = Clock::now();
    most_ = rank_timeout();
    deadline_ = rank() == 0 ? most_ : 1.25 * most_;  // rank 0 says who is silent
    asked_ = false;
    gone_at_ = error_at_ = -1;
  }
  // A look at the engine and at the other ranks.
  void watch(const std::string& what) {
    for (ncclComm_t comm : comms_) {
      ncclResult_t error = ncclSuccess;
      check_nccl(ncclCommGetAsyncError(comm, &error), "ncclCommGetAsyncError", comm);
      if (error == ncclSuccess || error == ncclInProgress) continue;
      if (error_at_ < 0) error_at_ = seconds();
      if (seconds() - error_at_ > 2 * gone_grace())  // nobody says which rank it is
        tell_and_fail("comm/nccl", what, ncclGetErrorString(error));
    }
    listen(what);
    if (!asked_ && 2 * seconds() > most_) ask();
    if (seconds() > deadline_) give_up(what);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // A rank that has done its part may end before this one has seen that.
  double gone_grace() const { return std::min(2.0, 0.25 * most_); }

  void retire() {
    bool any = false;
    while (!pending_.empty() && pending_.front().end.reached()) {
      free_.push_back(std::move(pending_.front().end));
      pending_.pop_front();
      ++finished_;
      any = true;
    }
    if (any) begin_wait();
  }

  int first_peer() const { return rank() == 0 ? 1 : 0; }
  int end_of_peers() const { return rank() == 0 ? size() : 1; }
  int rank_gone() const {
    for (int r = first_peer(); r < end_of_peers(); ++r)
      if (control_.is_gone(r)) return r;
    return -1;
  }

  void listen(const std::string& what) {
    Control::Message m;
    for (int r = first_peer(); r < end_of_peers(); ++r)
      while (control_.receive(r, m)) switch (m.kind) {
          case Control::Kind::data:
            shared_.push_back(m.text);
            break;
          case Control::Kind::waiting:
            if (std::atoll(m.text.c_str()) < finished_) break;  // it has gone on since
            if (!asked_) ask();
            heard_[static_cast<std::size_t>(r)] = 1;
            break;
          case Control::Kind::ask:
            control_.send(r, Control::Kind::waiting, std::to_string(finished_));
            deadline_ = std::max(deadline_, seconds() + 0.75 * most_);
            break;
          case Control::Kind::lost:
            fail(m.text.substr(0, m.text.find(' ')), what + ": " + m.text.substr(m.text.find(' ') + 1));
          default:
            break;
        }
    const int gone = rank_gone();
    if (gone < 0) return;
    if (gone_at_ < 0) gone_at_ = seconds();
    if (seconds() - gone_at_ > gone_grace())
      tell_and_fail("comm/rank", what, "rank " + std::to_string(gone) + " has ended");
  }
  // Asks who waits too; rank 0 of all, the others of rank 0.
  void ask() {
    asked_ = true;
    std::fill(heard_.begin(), heard_.end(), u8{0});
    if (rank() == 0) deadline_ = std::min(deadline_, seconds() + 0.5 * most_);
    for (int r = first_peer(); r < end_of_peers(); ++r)
      control_.send(r, rank() == 0 ? Control::Kind::ask : Control::Kind::waiting, std::to_string(finished_));
  }
  [[noreturn]] void give_up(const std::string& what) {
    std::string silent = rank() == 0 ? "" : "0";
    for (int r = first_peer(); rank() == 0 && r < size(); ++r)
      if (heard_[static_cast<std::size_t>(r)] == 0)
        silent += (silent.empty() ? "" : ", ") + std::to_string(r);
    tell_and_fail("comm/timeout", what,
                  (silent.empty() ? "the ranks wait for each other in different calls"
                                  : "rank " + silent + " was silent") +
                      (" for " + std::to_string(static_cast<i64>(most_)) + " s (WEFT_COMM_TIMEOUT)"));
  }
  [[noreturn]] void tell_and_fail(const std::string& id, const std::string& what, const std::string& why) {
    if (rank() == 0)
      for (int r = 1; r < size(); ++r) control_.send(r, Control::Kind::lost, id + " " + why);
    fail(id, what + ": " + why);
  }
  // Nothing more can be trained. An abort returns when no graph holds the communicator, whose programs the
  // caller's Error ends, so a thread of its own waits for that.
  [[noreturn]] void fail(const std::string& id, const std::string& text) {
    failure_id_ = id;
    failure_ = text;
    *aborts_ += static_cast<int>(comms_.size());
    for (ncclComm_t comm : comms_)
      std::thread([comm, left = aborts_] {
        static_cast<void>(ncclCommAbort(comm));
        --*left;
      }).detach();
    comms_.clear();
    check();
    __builtin_unreachable();
  }

  // Some seconds at most: what keeps an abort from its end is no reason to stay.
  void finish_aborts() const {
    for (int turn = 0; turn < 5000 && *aborts_ > 0; ++turn)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  mutable std::recursive_mutex mutex_;
  Launched place_;
  Control control_;
  std::vector<ncclComm_t> comms_;
  std::deque<Pending> pending_;  // runs that need other ranks, in their order
  std::vector<Event> free_;
  std::string failure_id_, failure_;
  std::deque<std::string> shared_;  // rank 0's, which may come while this rank waits for something before
  Clock::time_point start_{};
  double most_ = 0, deadline_ = 0, gone_at_ = -1, error_at_ = -1;
  bool asked_ = false;
  std::vector<u8> heard_;  // by rank: it said that it waits, too
  int added_ = 0;          // communicators
  const std::shared_ptr<std::atomic<int>> aborts_ = std::make_shared<std::atomic<int>>(0);  // under way
  i64 turn_ = 0, finished_ = 0;  // the latter: of what needed other ranks
};

}  // namespace WEFT_NAMESPACE::comm
