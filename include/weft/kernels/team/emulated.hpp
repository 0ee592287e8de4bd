#pragma once
// A CUDA block on a host without a GPU: one fiber a thread, a random order of execution drawn from a seed at
// every barrier, and shared memory that checks each access. Law: a body that runs here without an Error for
// every seed has no missing barrier, divergent barrier or race in shared memory on the inputs it was given.

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/kernels/team/emulated_block.hpp"
#include "weft/kernels/team/team.hpp"

// A body compiled by nvcc exists for the device too; there an emulated team can only trap.
#if defined(__CUDA_ARCH__)
#define WEFT_ON_HOST(...)    \
  do {                       \
    __trap();                \
    __builtin_unreachable(); \
  } while (false)
#else
#define WEFT_ON_HOST(...) \
  do {                    \
    __VA_ARGS__;          \
  } while (false)
#endif

namespace WEFT_NAMESPACE {

template <class T>
class EmulatedSpan;

// One element of shared memory: reads and writes go through the checks.
template <class T>
class EmulatedReference {
 public:
  WEFT_HD operator T() const { WEFT_ON_HOST(return load()); }
  WEFT_HD const EmulatedReference& operator=(const T& value) const { WEFT_ON_HOST(return store(value)); }
  WEFT_HD const EmulatedReference& operator=(const EmulatedReference& other) const {
    WEFT_ON_HOST(return store(other.load()));
  }
  EmulatedReference(const EmulatedReference&) = default;
  WEFT_HD const EmulatedReference& operator+=(const T& v) const { WEFT_ON_HOST(return store(load() + v)); }
  WEFT_HD const EmulatedReference& operator-=(const T& v) const { WEFT_ON_HOST(return store(load() - v)); }
  WEFT_HD const EmulatedReference& operator*=(const T& v) const { WEFT_ON_HOST(return store(load() * v)); }

 private:
  friend class EmulatedSpan<T>;
  EmulatedReference(detail::EmulatedBlock* block, int thread, i64 offset)
      : block_(block), thread_(thread), offset_(offset) {}

  T load() const {
    T value;
    block_->memory().load(&value, offset_, static_cast<i64>(sizeof(T)), block_->access(thread_));
    return value;
  }
  const EmulatedReference& store(const T& value) const {
    block_->memory().store(&value, offset_, static_cast<i64>(sizeof(T)), block_->access(thread_));
    return *this;
  }

  detail::EmulatedBlock* block_;
  int thread_;
  i64 offset_;
};

// A piece of shared memory as one thread sees it; an index outside it throws Error "emulated/out-of-bounds".
template <class T>
class EmulatedSpan {
  static_assert(std::is_trivially_copyable_v<T>, "shared memory holds trivially copyable values");

 public:
  EmulatedSpan(detail::EmulatedBlock* block, int thread, i64 offset, i64 count)
      : block_(block), thread_(thread), offset_(offset), count_(count) {}

  WEFT_HD EmulatedReference<T> operator[](i64 i) const { WEFT_ON_HOST(return at(i)); }
  WEFT_HD EmulatedReference<T> operator*() const { WEFT_ON_HOST(return at(0)); }
  // The piece that starts n elements later.
  WEFT_HD EmulatedSpan operator+(i64 n) const { WEFT_ON_HOST(return later(n)); }

 private:
  EmulatedReference<T> at(i64 i) const {
    if (i < 0 || i >= count_) {
      throw Error("emulated/out-of-bounds", "thread " + std::to_string(thread_) + " uses element " +
                                                std::to_string(i) + " of " + std::to_string(count_) +
                                                " in shared memory");
    }
    return {block_, thread_, offset_ + i * static_cast<i64>(sizeof(T))};
  }
  EmulatedSpan later(i64 n) const {
    return {block_, thread_, offset_ + n * static_cast<i64>(sizeof(T)), count_ - n};
  }

  detail::EmulatedBlock* block_;
  int thread_;
  i64 offset_;
  i64 count_;
};

// The team that a body sees in one fiber. Its primitives mean what CUDA's mean.
class EmulatedTeam : public TeamOps<EmulatedTeam> {
 public:
  template <class T>
  using Shared = EmulatedSpan<T>;
  static constexpr int max_warps = 32;

  EmulatedTeam(detail::EmulatedBlock* block, int rank) : block_(block), rank_(rank) {}

  WEFT_HD int rank() const { WEFT_ON_HOST(return rank_); }
  WEFT_HD int size() const { WEFT_ON_HOST(return block_->threads()); }
  WEFT_HD int lane() const { return rank() % warp_size; }
  WEFT_HD int warp() const { return rank() / warp_size; }
  WEFT_HD int warps() const { return size() / warp_size; }

  // The defaults name the caller's line in messages, and tell one barrier from another.
  WEFT_HD void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    WEFT_ON_HOST(block_->wait_block(rank_, file, line));
  }
  WEFT_HD void sync_warp(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    WEFT_ON_HOST(block_->wait_lanes(rank_, warp_size, true, file, line));
  }

  template <class T>
  WEFT_HD EmulatedSpan<T> shared(i64 count) {
    WEFT_ON_HOST(return span<T>(block_->allocate(rank_, count * static_cast<i64>(sizeof(T))), count));
  }

  template <class T>
  WEFT_HD EmulatedSpan<T> next_scratch() {
    WEFT_ON_HOST(odd_ = !odd_; return span<T>(block_->scratch_offset(odd_ ? 1 : 0), block_->warps()));
  }

  template <class T>
  WEFT_HD T shuffle_xor(const T& value, int mask) {
    WEFT_ON_HOST(return exchange(value, rank_ % warp_size ^ mask));
  }
  // Among Lanes neighbours that begin at a multiple of it: the rest of the warp may be elsewhere.
  template <int Lanes, class T>
  WEFT_HD T shuffle_xor_among(const T& value, int mask) {
    WEFT_ON_HOST(return exchange(value, rank_ % warp_size ^ mask, Lanes));
  }
  // Lanes past the end of the warp keep their own value.
  template <class T>
  WEFT_HD T shuffle_down(const T& value, int delta) {
    WEFT_ON_HOST(const int from = rank_ % warp_size + delta;
                 return exchange(value, from < warp_size ? from : rank_ % warp_size));
  }
  template <class T>
  WEFT_HD T shuffle_up(const T& value, int delta) {
    WEFT_ON_HOST(const int from = rank_ % warp_size - delta;
                 return exchange(value, from >= 0 ? from : rank_ % warp_size));
  }
  template <class T>
  WEFT_HD T shuffle(const T& value, int source_lane) {
    WEFT_ON_HOST(return exchange(value, source_lane % warp_size));
  }

 private:
  template <class T>
  EmulatedSpan<T> span(i64 offset, i64 count) const {
    return {block_, rank_, offset, count};
  }

  // Two areas in turn: by the time the first is written again, every lane has read it.
  template <class T>
  T exchange(const T& value, int from_lane, int lanes = warp_size) {
    static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable values can be shuffled");
    static_assert(sizeof(T) <= detail::EmulatedBlock::exchange_bytes, "the value is too large to shuffle");
    exchange_parity_ ^= 1;
    std::memcpy(block_->exchange(exchange_parity_, rank_), &value, sizeof(T));
    block_->wait_lanes(rank_, lanes, false, __FILE__, __LINE__);
    T result;
    std::memcpy(&result, block_->exchange(exchange_parity_, rank_ / warp_size * warp_size + from_lane),
                sizeof(T));
    return result;
  }

  detail::EmulatedBlock* block_;
  int rank_;
  int exchange_parity_ = 0;
  bool odd_ = true;
};

// Runs body(team) once per thread of one block: `threads` is a multiple of 32 up to 1024, `shared_bytes` the
// block's dynamic shared memory. What a body throws is thrown here, the checks' own errors being
// "emulated/divergent-sync", "emulated/divergent-shared", "emulated/race", "emulated/uninitialised-read",
// "emulated/out-of-bounds" and "emulated/shared-exhausted".
template <class Body>
EmulateReport emulate_block(int threads, i64 shared_bytes, u64 seed, Body&& body,
                            EmulateOptions options = {}) {
  if (threads < warp_size || threads > 1024 || threads % warp_size != 0 || shared_bytes < 0) {
    throw Error("emulated/size",
                "a block has 32, 64, ... 1024 threads and not less than no shared memory, not " +
                    std::to_string(threads) + " threads and " + std::to_string(shared_bytes) + " bytes");
  }
  detail::EmulatedBlock block(threads, shared_bytes, seed, options);
  auto run_thread = [&](int thread) {
    EmulatedTeam team(&block, thread);
    body(team);
  };
  return block.run(run_thread);
}

// Runs body(team, block) for every block of a grid, one after the other, in an order drawn from the seed.
template <class Body>
EmulateReport emulate_grid(i64 blocks, int threads, i64 shared_bytes, u64 seed, Body&& body,
                           EmulateOptions options = {}) {
  std::vector<i64> order(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<i64>(i);
  u64 state = seed;
  EmulateReport total;
  for (std::size_t left = order.size(); left > 0; --left) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    std::swap(order[static_cast<std::size_t>((state >> 33) % left)], order[left - 1]);
    const i64 index = order[left - 1];
    const EmulateReport one = emulate_block(
        threads, shared_bytes, state, [&](EmulatedTeam& team) { body(team, index); }, options);
    total.barriers += one.barriers;
    total.switches += one.switches;
  }
  return total;
}

}  // namespace WEFT_NAMESPACE

#undef WEFT_ON_HOST
