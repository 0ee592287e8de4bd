#pragma once
// The team of one CUDA block. It supplies primitives only; the reductions are those of team.hpp, so the host
// emulation runs the same algorithm and gives the same bits.

#include <type_traits>

#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// Moves any trivially copyable value through `exchange`, which maps one 32-bit word.
template <class T, class Exchange>
__device__ __forceinline__ T shuffle_words(const T& value, Exchange exchange) {
  static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable values can be shuffled");
  constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);
  unsigned word[words]{};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) word[i] = exchange(word[i]);
  T result;
  memcpy(&result, word, sizeof(T));
  return result;
}

}  // namespace detail

// Threads: the block's threads, all of them in x; a multiple of 32 up to 1024. `shared_memory` is the block's
// dynamic shared memory, 16-byte aligned; how much of it there is, the launch decides. Reductions also use
// 32 bytes of static shared memory a warp. One BlockTeam a kernel.
template <int Threads>
class BlockTeam : public TeamOps<BlockTeam<Threads>> {
  static_assert(Threads % warp_size == 0 && Threads >= warp_size && Threads <= 1024,
                "a CUDA block has a multiple of 32 threads, at most 1024");

 public:
  template <class T>
  using Shared = T*;
  static constexpr int max_warps = Threads / warp_size;

  __device__ explicit BlockTeam(unsigned char* shared_memory = nullptr) : shared_(shared_memory) {
    if constexpr (max_warps > 1) {
      __shared__ alignas(16) unsigned char scratch[2 * max_warps * scratch_slot_bytes];
      scratch_ = scratch;
    }
  }

  __device__ __forceinline__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ static constexpr int size() { return Threads; }
  __device__ __forceinline__ static int lane() { return rank() % warp_size; }
  __device__ __forceinline__ static int warp() { return rank() / warp_size; }
  __device__ __forceinline__ static constexpr int warps() { return max_warps; }
  __device__ __forceinline__ static void sync() { __syncthreads(); }
  __device__ __forceinline__ static void sync_warp() { __syncwarp(); }

  template <class T>
  __device__ __forceinline__ T* shared(i64 count) {
    static_assert(alignof(T) <= 16, "shared memory is 16-byte aligned");
    T* memory = reinterpret_cast<T*>(shared_);
    shared_ += (count * static_cast<i64>(sizeof(T)) + 15) / 16 * 16;
    return memory;
  }

  template <class T>
  __device__ __forceinline__ T* next_scratch() {
    odd_ = !odd_;
    return reinterpret_cast<T*>(scratch_ + (odd_ ? max_warps * scratch_slot_bytes : 0));
  }

  template <class T>
  __device__ __forceinline__ static T shuffle_xor(const T& value, int mask) {
    return detail::shuffle_words(value, [=](unsigned w) { return __shfl_xor_sync(~0u, w, mask); });
  }
  // Among Lanes neighbours that begin at a multiple of it: the rest of the warp may be elsewhere.
  template <int Lanes, class T>
  __device__ __forceinline__ static T shuffle_xor_among(const T& value, int mask) {
    const unsigned first = static_cast<unsigned>(lane()) / Lanes * Lanes;
    const unsigned members = ((1u << Lanes) - 1) << first;
    return detail::shuffle_words(value, [=](unsigned w) { return __shfl_xor_sync(members, w, mask); });
  }
  template <class T>
  __device__ __forceinline__ static T shuffle_down(const T& value, int delta) {
    const auto by = static_cast<unsigned>(delta);
    return detail::shuffle_words(value, [=](unsigned w) { return __shfl_down_sync(~0u, w, by); });
  }
  template <class T>
  __device__ __forceinline__ static T shuffle_up(const T& value, int delta) {
    const auto by = static_cast<unsigned>(delta);
    return detail::shuffle_words(value, [=](unsigned w) { return __shfl_up_sync(~0u, w, by); });
  }
  template <class T>
  __device__ __forceinline__ static T shuffle(const T& value, int source_lane) {
    return detail::shuffle_words(value, [=](unsigned w) { return __shfl_sync(~0u, w, source_lane); });
  }

 private:
  unsigned char* shared_;
  unsigned char* scratch_ = nullptr;
  bool odd_ = true;
};

}  // namespace WEFT_NAMESPACE
