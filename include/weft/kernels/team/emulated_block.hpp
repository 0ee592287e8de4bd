#pragma once
// The scheduler of an emulated block: which fiber runs next, who waits for whom, and what the block shares.
// Law: the order is a function of the seed; a barrier opens when the whole block (or warp) stands at the same
// one, and a block that can never continue throws Error "emulated/divergent-sync".

#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "weft/kernels/team/emulated_memory.hpp"
#include "weft/kernels/team/fiber.hpp"
#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE {

struct EmulateOptions {
  bool check =
      true;  // races, reads of what was not written: Error "emulated/race", "emulated/uninitialised-read"
  bool poison = true;  // shared memory starts as NaN, else as zeros
};

// What happened: barriers of the whole block, and how often a fiber was resumed.
struct EmulateReport {
  i64 barriers = 0;
  i64 switches = 0;
};

namespace detail {

// The state of one emulated block and its scheduler.
class EmulatedBlock {
 public:
  EmulatedBlock(int threads, i64 shared_bytes, u64 seed, EmulateOptions options)
      : threads_(threads),
        shared_bytes_((shared_bytes + 15) / 16 * 16),
        random_(seed),
        memory_(shared_bytes_ + scratch_bytes(), options.check, options.poison),
        exchange_(static_cast<std::size_t>(2 * threads * exchange_bytes)),
        thread_(static_cast<std::size_t>(threads)),
        warp_(static_cast<std::size_t>(threads / warp_size)) {}

  static constexpr i64 exchange_bytes = 64;

  int threads() const { return threads_; }
  int warps() const { return threads_ / warp_size; }
  EmulatedMemory& memory() { return memory_; }
  std::byte* exchange(int parity, int thread) {
    return exchange_.data() + (static_cast<i64>(parity) * threads_ + thread) * exchange_bytes;
  }
  i64 scratch_offset(int parity) const { return shared_bytes_ + parity * i64{warps()} * scratch_slot_bytes; }

  EmulatedAccess access(int thread) const {
    const int warp = thread / warp_size;
    return {thread, warp, block_epoch_, warp_[static_cast<std::size_t>(warp)].epoch};
  }

  // The n-th request for shared memory must be the same in every thread. Returns its offset.
  i64 allocate(int thread, i64 bytes) {
    Thread& t = thread_[static_cast<std::size_t>(thread)];
    const i64 begin = t.allocated;
    const std::size_t index = t.requests++;
    if (index == requests_.size()) requests_.push_back(bytes);
    if (requests_[index] != bytes) {
      throw Error("emulated/divergent-shared",
                  "thread " + std::to_string(thread) + " asks for " + std::to_string(bytes) +
                      " bytes of shared memory where another asked for " + std::to_string(requests_[index]));
    }
    t.allocated = begin + (bytes + 15) / 16 * 16;
    if (bytes < 0 || t.allocated > shared_bytes_) {
      throw Error("emulated/shared-exhausted", "the body asks for " + std::to_string(t.allocated) +
                                                   " bytes of shared memory; the block has " +
                                                   std::to_string(shared_bytes_));
    }
    return begin;
  }

  void wait_block(int thread, const char* file, int line) {
    block_here(thread, Wait::block, threads_, file, line);
    if (++waiting_ == threads_) {
      for (int t = 0; t < threads_; ++t) same_place(thread, t);
      waiting_ = 0;
      ++block_epoch_;
      for (int t = 0; t < threads_; ++t) make_runnable(t);
    }
    pause();
  }

  // Of as many neighbours that begin at a multiple of `lanes`, a power of two up to a warp. `orders_memory`:
  // __syncwarp orders the warp's accesses to shared memory; a shuffle does not.
  void wait_lanes(int thread, int lanes, bool orders_memory, const char* file, int line) {
    const int first = thread / lanes * lanes, end = first + lanes;
    block_here(thread, Wait::warp, lanes, file, line);
    int& waiting = thread_[static_cast<std::size_t>(first)].lanes_waiting;
    if (++waiting == lanes) {
      for (int t = first; t < end; ++t) same_place(thread, t);
      waiting = 0;
      if (orders_memory) ++warp_[static_cast<std::size_t>(thread / warp_size)].epoch;
      for (int t = first; t < end; ++t) make_runnable(t);
    }
    pause();
  }

  // Runs body(thread) on every thread; rethrows the first exception after unwinding the others.
  template <class Body>
  EmulateReport run(Body& body) {
    struct Call {
      EmulatedBlock* block;
      Body* body;
    } call{this, &body};
    FiberSet fibers(
        threads_,
        [](void* argument, int thread) {
          Call& c = *static_cast<Call*>(argument);
          try {
            (*c.body)(thread);
          } catch (const Cancelled&) {
          } catch (...) {
            if (!c.block->error_) c.block->error_ = std::current_exception();
          }
          c.block->thread_[static_cast<std::size_t>(thread)].wait = Wait::finished;
        },
        &call);
    fibers_ = &fibers;
    for (int t = 0; t < threads_; ++t) make_runnable(t);
    EmulateReport report;
    for (int finished = 0; finished < threads_ && !error_;) {
      if (runnable_.empty()) {
        error_ = std::make_exception_ptr(Error("emulated/divergent-sync", describe_deadlock()));
        break;
      }
      const std::size_t pick = static_cast<std::size_t>(next_random() % runnable_.size());
      const int t = runnable_[pick];
      runnable_[pick] = runnable_.back();
      runnable_.pop_back();
      ++report.switches;
      fibers.resume(t);
      if (thread_[static_cast<std::size_t>(t)].wait == Wait::finished) ++finished;
    }
    if (error_) {
      cancelled_ = true;
      for (int t = 0; t < threads_; ++t) {
        while (fibers.started(t) && thread_[static_cast<std::size_t>(t)].wait != Wait::finished)
          fibers.resume(t);
      }
      std::rethrow_exception(error_);
    }
    report.barriers = block_epoch_;
    return report;
  }

 private:
  enum class Wait { runnable, block, warp, finished };
  struct Cancelled {};  // unwinds a fiber whose block has already failed
  struct Thread {
    Wait wait = Wait::runnable;
    const char* file = "";
    int line = 0;
    int together = 0;  // as many threads meet there
    int lanes_waiting = 0;
    i64 allocated = 0;
    std::size_t requests = 0;
  };
  struct Warp {
    i64 epoch = 0;
  };

  i64 scratch_bytes() const { return 2 * i64{warps()} * scratch_slot_bytes; }

  void block_here(int thread, Wait wait, int together, const char* file, int line) {
    if (cancelled_) throw Cancelled{};
    Thread& t = thread_[static_cast<std::size_t>(thread)];
    t.wait = wait;
    t.together = together;
    t.file = file;
    t.line = line;
  }

  void pause() {
    fibers_->yield();
    if (cancelled_) throw Cancelled{};
  }

  void make_runnable(int thread) {
    thread_[static_cast<std::size_t>(thread)].wait = Wait::runnable;
    runnable_.push_back(thread);
  }

  // CUDA leaves it undefined when threads meet at different barriers.
  void same_place(int a, int b) {
    const Thread& x = thread_[static_cast<std::size_t>(a)];
    const Thread& y = thread_[static_cast<std::size_t>(b)];
    if (x.line == y.line && x.together == y.together && std::strcmp(x.file, y.file) == 0) return;
    throw Error("emulated/divergent-sync", "thread " + std::to_string(a) + " waits at " + place(x) +
                                               " and thread " + std::to_string(b) + " at " + place(y));
  }

  static std::string place(const Thread& t) { return std::string(t.file) + ":" + std::to_string(t.line); }

  std::string describe_deadlock() const {
    int finished = 0;
    std::string where;
    for (const Thread& t : thread_) {
      if (t.wait == Wait::finished) {
        ++finished;
      } else if (where.empty()) {
        where = (t.wait == Wait::warp ? "for its warp at " : "at the barrier ") + place(t);
      }
    }
    return std::to_string(threads_ - finished) + " of " + std::to_string(threads_) +
           " threads wait for ever, one of them " + where + "; " + std::to_string(finished) +
           " have returned";
  }

  // SplitMix64 (Steele, Lea and Flood, 2014).
  u64 next_random() {
    random_ += 0x9e3779b97f4a7c15u;
    u64 z = random_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  int threads_;
  i64 shared_bytes_;
  u64 random_;
  EmulatedMemory memory_;
  std::vector<std::byte> exchange_;
  std::vector<Thread> thread_;
  std::vector<Warp> warp_;
  std::vector<int> runnable_;
  std::vector<i64> requests_;
  FiberSet* fibers_ = nullptr;
  std::exception_ptr error_;
  int waiting_ = 0;
  i64 block_epoch_ = 0;
  bool cancelled_ = false;
};

}  // namespace detail

}  // namespace WEFT_NAMESPACE
