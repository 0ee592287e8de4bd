#pragma once
// Adds what the ranks have of one piece, in the order of ranks, or finds the largest. A bucket that all get
// is cut into a share for each rank, and a rest, too short to be cut, that every rank adds.

#include "weft/comm/communicator.hpp"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// Elements. Shares begin at multiples of 128 bytes and more.
struct BucketCut {
  i64 share = 0, rest = 0;
  constexpr i64 piece() const { return share + rest; }  // what a rank gets of another
};
constexpr BucketCut cut_bucket(i64 count, int ranks) {
  constexpr i64 unit = 32;
  const i64 share = count / ranks / unit * unit;
  return {share, count - share * ranks};
}

// What one rank adds: `own` has its own values, `pieces` those of rank r, r * length elements behind, in
// which its own place is not read; `to`, which may be `own`, becomes their sum, or where it `adds` has it
// added, of bf16 to what is f32. Elements from `share` on lie `gap` elements further in `to` and `own`.
struct RankSum {
  DType dtype{};
  void* to = nullptr;
  const void* own = nullptr;
  const void* pieces = nullptr;
  i64 length = 0, share = 0, gap = 0;
  int rank = 0, ranks = 1;
  bool adds = false;

  // Of a contiguous piece.
  static RankSum of_piece(DType dtype, void* to, const void* own, const void* pieces, i64 length, int rank,
                          int ranks, bool adds) {
    return {dtype, to, own, pieces, length, length, 0, rank, ranks, adds};
  }
  // Of a rank's share of a bucket and the rest, in place.
  static RankSum of_bucket(DType dtype, void* bucket, const void* pieces, const BucketCut& cut, int rank,
                           int ranks) {
    auto* const share = static_cast<std::byte*>(bucket) + rank * cut.share * size_of(dtype);
    return {dtype, share, share, pieces, cut.piece(), cut.share, (ranks - 1 - rank) * cut.share, rank, ranks};
  }
};

inline constexpr int add_threads = 256;

// Of elements of dtype T, which become those of dtype To, added as the latter or as f32.
template <u64 Tag, u64 T, u64 To>
__global__ void __launch_bounds__(add_threads) WEFT_KERNEL
    add_ranks_kernel(const __grid_constant__ RankSum call) {
  using E = ctype<static_cast<DType>(T)>;
  using R = ctype<static_cast<DType>(To)>;
  using S = std::conditional_t<std::is_same_v<R, f64>, f64, f32>;
  const i64 i = static_cast<i64>(blockIdx.x) * add_threads + threadIdx.x;
  if (i >= call.length) return;
  const i64 at = i < call.share ? i : i + call.gap;
  R* const to = static_cast<R*>(call.to) + at;
  const S own = static_cast<S>(static_cast<const E*>(call.own)[at]);
  const E* const pieces = static_cast<const E*>(call.pieces);
  S sum = call.adds ? static_cast<S>(*to) : S(0);
  for (int r = 0; r < call.ranks; ++r)
    sum = sum + (r == call.rank ? own : static_cast<S>(pieces[r * call.length + i]));
  *to = static_cast<R>(sum);
}

template <DType T, DType To>
void enqueue_add_ranks_of(const RankSum& call, cudaStream_t stream) {
  const unsigned blocks = cuda_blocks((call.length + add_threads - 1) / add_threads);
  add_ranks_kernel<kernel_tag, static_cast<u64>(T), static_cast<u64>(To)>
      <<<blocks, add_threads, 0, stream>>>(call);
}

inline void enqueue_add_ranks(const RankSum& call, cudaStream_t stream) {
  if (call.length == 0) return;
  if (call.dtype == DType::f32)
    enqueue_add_ranks_of<DType::f32, DType::f32>(call, stream);
  else if (call.dtype == DType::f64)
    enqueue_add_ranks_of<DType::f64, DType::f64>(call, stream);
  else if (call.dtype == DType::bf16 && call.adds)
    enqueue_add_ranks_of<DType::bf16, DType::f32>(call, stream);
  else if (call.dtype == DType::bf16)
    enqueue_add_ranks_of<DType::bf16, DType::bf16>(call, stream);
  else
    throw Error("comm/dtype", "a sum over ranks is of f32, f64 or bf16");
  cuda_check_launch("add_ranks");
}

// to[i] becomes the largest of `all`[r * length + i] of all ranks r.
template <u64 Tag>
__global__ void __launch_bounds__(add_threads) WEFT_KERNEL
    max_ranks_kernel(f32* to, const f32* all, i64 length, int ranks) {
  const i64 i = static_cast<i64>(blockIdx.x) * add_threads + threadIdx.x;
  if (i >= length) return;
  f32 most = all[i];
  for (int r = 1; r < ranks; ++r) most = comm::larger(most, all[r * length + i]);
  to[i] = most;
}
inline void enqueue_max_ranks(f32* to, const f32* all, i64 length, int ranks, cudaStream_t stream) {
  if (length == 0) return;
  const unsigned blocks = cuda_blocks((length + add_threads - 1) / add_threads);
  max_ranks_kernel<kernel_tag><<<blocks, add_threads, 0, stream>>>(to, all, length, ranks);
  cuda_check_launch("max_ranks");
}

}  // namespace WEFT_NAMESPACE::kernels
