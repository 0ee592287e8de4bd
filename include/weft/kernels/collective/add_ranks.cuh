#pragma once
// Adds what the ranks have of one piece, in the order of ranks. A bucket that all get is cut into a share for
// each rank, and a rest, too short to be cut, that every rank adds.

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
// added. Elements from `share` on lie `gap` elements further in `to` and `own`.
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

template <u64 Tag, u64 T>
__global__ void __launch_bounds__(add_threads) WEFT_KERNEL
    add_ranks_kernel(const __grid_constant__ RankSum call) {
  using E = ctype<static_cast<DType>(T)>;
  const i64 i = static_cast<i64>(blockIdx.x) * add_threads + threadIdx.x;
  if (i >= call.length) return;
  const i64 at = i < call.share ? i : i + call.gap;
  E* const to = static_cast<E*>(call.to) + at;
  const E own = static_cast<const E*>(call.own)[at];
  const E* const pieces = static_cast<const E*>(call.pieces);
  E sum = call.adds ? *to : E(0);
  for (int r = 0; r < call.ranks; ++r) sum = sum + (r == call.rank ? own : pieces[r * call.length + i]);
  *to = sum;
}

inline void enqueue_add_ranks(const RankSum& call, cudaStream_t stream) {
  if (call.length == 0) return;
  const unsigned blocks = cuda_blocks((call.length + add_threads - 1) / add_threads);
  if (call.dtype == DType::f32)
    add_ranks_kernel<kernel_tag, static_cast<u64>(DType::f32)><<<blocks, add_threads, 0, stream>>>(call);
  else if (call.dtype == DType::f64)
    add_ranks_kernel<kernel_tag, static_cast<u64>(DType::f64)><<<blocks, add_threads, 0, stream>>>(call);
  else
    throw Error("comm/dtype", "a sum over ranks is of f32 or f64");
  cuda_check_launch("add_ranks");
}

}  // namespace WEFT_NAMESPACE::kernels
