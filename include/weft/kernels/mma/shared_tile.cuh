#pragma once
// A tile of a matrix in a block's shared memory. Law: rows and columns that the matrix does not have are
// zeros; rows lie an odd number of 16 bytes apart, so that eight of them, 16 bytes each, are in all banks
// once.

#include "weft/kernels/mma/atom.cuh"

namespace WEFT_NAMESPACE::kernels {

namespace detail {

// Copies `bytes` <= 16 and zeros behind them, which are there after wait_for_copies and a barrier.
__device__ __forceinline__ void copy_16_bytes(void* to, const void* from, int bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes)
               : "memory");
#endif
}

// Copies 16 bytes.
__device__ __forceinline__ void copy_chunk(void* to, const void* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
#endif
}

// One number, or a zero.
__device__ __forceinline__ void copy_number(f32* to, const f32* from, bool there) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(there ? 4 : 0)
               : "memory");
#endif
}

}  // namespace detail

// Copies begun since the last call are a group.
__device__ __forceinline__ void end_group_of_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until all but the last `Pending` groups of this thread are there.
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

// A matrix in global memory; strides in elements.
template <class T>
struct GlobalRows {
  const T* at = nullptr;
  i64 row = 0, column = 0;
  bool in_chunks = false;  // rows are whole in memory and begin at multiples of 16 bytes

  static bool chunks(const void* p, i64 row, i64 column) {
    return column == 1 && row * static_cast<i64>(sizeof(T)) % 16 == 0 &&
           reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
  }
};

// Width: a multiple of 16 bytes.
template <class T, int Rows, int Width>
struct SharedTile {
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T)), chunks = Width / chunk;
  static_assert(Width % chunk == 0);
  static constexpr int pitch = (chunks % 2 == 0 ? chunks + 1 : chunks) * chunk;
  static constexpr int size = Rows * pitch;  // elements

  // Begins to copy `rows` rows of `width` elements, by all of the block's threads.
  template <int Threads>
  __device__ __forceinline__ static void load(T* tile, const GlobalRows<T>& from, int rows, int width) {
    const int rank = static_cast<int>(threadIdx.x);
    if (from.in_chunks) {
      const int left = (width - rank % chunks * chunk) * static_cast<int>(sizeof(T));
      const int bytes = left < 0 ? 0 : left < 16 ? left : 16;
      if constexpr (Threads % chunks == 0 && Rows * chunks % Threads == 0) {  // a thread keeps its columns
        constexpr int step = Threads / chunks;
        const int first = rank / chunks;
        const T* next = from.at + first * from.row + rank % chunks * chunk;
        T* to = tile + first * pitch + rank % chunks * chunk;
        // What is cut costs several times as many instructions. (Of f32 ptxas for sm_90a then spills.)
        if constexpr (sizeof(T) == 2)
          if (rows >= Rows && width == Width) {
#pragma unroll
            for (int r = 0; r < Rows; r += step, next += step * from.row)
              detail::copy_chunk(to + r * pitch, next);
            return;
          }
#pragma unroll
        for (int r = 0; r < Rows; r += step, next += step * from.row, to += step * pitch) {
          const bool there = bytes > 0 && first + r < rows;
          detail::copy_16_bytes(to, there ? next : from.at, there ? bytes : 0);
        }
      } else {
#pragma unroll 4
        for (int k = rank; k < Rows * chunks; k += Threads) {
          const int r = k / chunks, c = k % chunks * chunk;
          const int rest = r < rows ? (width - c) * static_cast<int>(sizeof(T)) : 0;
          const bool there = rest > 0;
          detail::copy_16_bytes(tile + r * pitch + c, there ? from.at + r * from.row + c : from.at,
                                !there      ? 0
                                : rest < 16 ? rest
                                            : 16);
        }
      }
    } else {
#pragma unroll 4
      for (int k = rank; k < Rows * Width; k += Threads) {
        const int r = k / Width, c = k % Width;
        tile[r * pitch + c] = r < rows && c < width ? from.at[r * from.row + c * from.column] : T(0.0f);
      }
    }
  }
};

// c[m] (16, 8 Columns) += a b^T: rows [16 m, 16 m + 16) of tile `a` and rows [0, 8 Columns) of tile `b`, both
// `Depth` wide. What is read of b serves all m.
template <class T, int Depth, int Tiles, int Columns>
__device__ __forceinline__ void add_products_transposed(float (&c)[Tiles][Columns][4], const T* a,
                                                        int a_pitch, const T* b, int b_pitch) {
  using Atom = MmaAtom<T>;
#pragma unroll sizeof(T) == 2 ? 4 : 1  // more of f32 takes registers that the sums need
  for (int k = 0; k < Depth; k += Atom::depth) {
    typename Atom::A left[Tiles];
#pragma unroll
    for (int m = 0; m < Tiles; ++m) left[m] = Atom::load_a(a + 16 * m * a_pitch + k, a_pitch);
#pragma unroll
    for (int n = 0; n < Columns; n += 2) {
      typename Atom::B right[2];
      Atom::load_b_transposed(right, b + 8 * n * b_pitch + k, b_pitch);
#pragma unroll
      for (int m = 0; m < Tiles; ++m) {
        Atom::multiply_add(c[m][n], left[m], right[0]);
        Atom::multiply_add(c[m][n + 1], left[m], right[1]);
      }
    }
  }
}
template <class T, int Columns, int Depth>
__device__ __forceinline__ void add_product_transposed(float (&c)[Columns][4], const T* a, int a_pitch,
                                                       const T* b, int b_pitch) {
  add_products_transposed<T, Depth>(reinterpret_cast<float(&)[1][Columns][4]>(c), a, a_pitch, b, b_pitch);
}

// c[m] (16, 8 Columns) += a[m] b: sums `a[m]` (16, 8 Depths), rounded to T, and rows [0, 8 Depths) of tile
// `b`.
template <class T, int Tiles, int Columns, int Depths>
__device__ __forceinline__ void add_products(float (&c)[Tiles][Columns][4],
                                             const float (&a)[Tiles][Depths][4], const T* b, int b_pitch) {
  using Atom = MmaAtom<T>;
  constexpr int sums = Atom::depth / 8;
#pragma unroll
  for (int k = 0; k < Depths; k += sums) {
    typename Atom::A left[Tiles];
#pragma unroll
    for (int m = 0; m < Tiles; ++m) {
      float part[sums][4];
#pragma unroll
      for (int s = 0; s < sums; ++s)
#pragma unroll
        for (int i = 0; i < 4; ++i) part[s][i] = a[m][k + s][i];
      left[m] = Atom::of_sums(part);
    }
#pragma unroll
    for (int n = 0; n < Columns; n += 2) {
      typename Atom::B right[2];
      Atom::load_b(right, b + 8 * k * b_pitch + 8 * n, b_pitch);
#pragma unroll
      for (int m = 0; m < Tiles; ++m) {
        Atom::multiply_add(c[m][n], left[m], right[0]);
        Atom::multiply_add(c[m][n + 1], left[m], right[1]);
      }
    }
  }
}
template <class T, int Columns, int Depths>
__device__ __forceinline__ void add_product(float (&c)[Columns][4], const float (&a)[Depths][4], const T* b,
                                            int b_pitch) {
  add_products<T>(reinterpret_cast<float(&)[1][Columns][4]>(c),
                  reinterpret_cast<const float(&)[1][Depths][4]>(a), b, b_pitch);
}

}  // namespace WEFT_NAMESPACE::kernels
