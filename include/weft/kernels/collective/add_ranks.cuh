#pragma once
// Adds what the ranks have of one bucket, in the order of ranks. A bucket is cut into a share for each rank,
// and a rest, too short to be cut, that every rank adds.

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

inline constexpr int add_threads = 256;

// data: the bucket, of which this rank adds its share and the rest, in place; pieces: of rank r, r * piece()
// behind, its share and its rest. This rank's own are not there, but in the bucket.
template <u64 Tag, u64 T>
__global__ void __launch_bounds__(add_threads) WEFT_KERNEL
    add_ranks_kernel(ctype<static_cast<DType>(T)>* data, const ctype<static_cast<DType>(T)>* pieces,
                     BucketCut cut, int rank, int ranks) {
  using E = ctype<static_cast<DType>(T)>;
  const i64 i = static_cast<i64>(blockIdx.x) * add_threads + threadIdx.x, piece = cut.share + cut.rest;
  if (i >= piece) return;
  E& own = data[i < cut.share ? rank * cut.share + i : (ranks - 1) * cut.share + i];
  E sum = E(0);
  for (int r = 0; r < ranks; ++r) sum = sum + (r == rank ? own : pieces[r * piece + i]);
  own = sum;
}

inline void enqueue_add_ranks(DType dtype, void* data, const void* pieces, const BucketCut& cut, int rank,
                              int ranks, cudaStream_t stream) {
  const unsigned blocks = cuda_blocks((cut.piece() + add_threads - 1) / add_threads);
  if (dtype == DType::f32)
    add_ranks_kernel<kernel_tag, static_cast<u64>(DType::f32)><<<blocks, add_threads, 0, stream>>>(
        static_cast<f32*>(data), static_cast<const f32*>(pieces), cut, rank, ranks);
  else if (dtype == DType::f64)
    add_ranks_kernel<kernel_tag, static_cast<u64>(DType::f64)><<<blocks, add_threads, 0, stream>>>(
        static_cast<f64*>(data), static_cast<const f64*>(pieces), cut, rank, ranks);
  else
    throw Error("comm/dtype", "a sum over ranks is of f32 or f64");
  cuda_check_launch("add_ranks");
}

}  // namespace WEFT_NAMESPACE::kernels
