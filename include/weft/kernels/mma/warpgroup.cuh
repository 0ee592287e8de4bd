#pragma once
// A warpgroup's product of matrices on the tensor cores of sm_90a, which read shared memory by themselves:
// tiles as they read them, and the instruction. Law: c (64, 8 columns) += a (64, depth) b (depth, 8 columns)
// of 16-bit floats, sums in f32; warp w of the group has rows 16 w to 16 w + 15, as MmaPlace says. Between
// begin and wait nobody writes what is multiplied or reads the sums.
//
// (PTX ISA, Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions: register fragments, shared
// memory layouts, matrix descriptor.)

#include "weft/kernels/launch/cuda.cuh"
#include "weft/kernels/mma/shared_tile.cuh"

namespace WEFT_NAMESPACE::kernels {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WEFT_HAS_WARPGROUP_PRODUCTS 1
inline constexpr bool compiles_warpgroup_products = true;
#else
inline constexpr bool compiles_warpgroup_products = false;
#endif

inline constexpr int warpgroup_threads = 128, warpgroup_rows = 64;

// Whether the code that the device runs of this program is compiled for them: its launch bound says so.
template <u64 Tag>
__global__ void __launch_bounds__(compiles_warpgroup_products ? 2 * warpgroup_threads
                                                              : warpgroup_threads) WEFT_KERNEL
    warpgroup_products_kernel() {}
inline bool has_warpgroup_products() {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes,
                                   reinterpret_cast<const void*>(&warpgroup_products_kernel<kernel_tag>)),
             "cudaFuncGetAttributes", "a kernel");
  return attributes.maxThreadsPerBlock == 2 * warpgroup_threads;
}

// What this warpgroup's threads have written to registers and what was waited for is there for products that
// begin behind it.
__device__ __forceinline__ void begin_warpgroup_products() {
#ifdef WEFT_HAS_WARPGROUP_PRODUCTS
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
// The products begun since the last call are a group.
__device__ __forceinline__ void end_group_of_products() {
#ifdef WEFT_HAS_WARPGROUP_PRODUCTS
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
// Until all but the last `Pending` groups are done, `c` being sums of those that are.
template <int Pending, int Columns>
__device__ __forceinline__ void wait_for_products(float (&c)[Columns][4]) {
#ifdef WEFT_HAS_WARPGROUP_PRODUCTS
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
#pragma unroll
  for (int n = 0; n < Columns; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) asm volatile("" : "+f"(c[n][e])::"memory");  // no sum is read before
#endif
}
// What this thread has written to shared memory, and copies that it waited for, is there for products that
// begin behind a barrier.
__device__ __forceinline__ void show_to_products() {
#ifdef WEFT_HAS_WARPGROUP_PRODUCTS
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

namespace detail {

// c (64, Columns) = a b, or += where `add`: a in registers or at a descriptor, b at one; TransposedB: b's
// rows lie along its depth.

#define WEFT_WARPGROUP_PRODUCT_16(type)                                                                    \
  if constexpr (InRegisters)                                                                               \
    asm volatile(                                                                                          \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %13, 0;\n"                                                       \
        "wgmma.mma_async.sync.aligned.m64n16k16.f32." type "." type                                        \
        " {%0, %1, %2, %3, %4, %5, %6, %7}, "                                                              \
        "{%8, %9, %10, %11}, %12, p, 1, 1, %14;\n}\n"                                                      \
        : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),        \
          "+f"(c[1][2]), "+f"(c[1][3])                                                                     \
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "l"(b), "r"(int{add}), "n"(int{TransposedB}) \
        : "memory");                                                                                       \
  else                                                                                                     \
    asm volatile(                                                                                          \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"                                                       \
        "wgmma.mma_async.sync.aligned.m64n16k16.f32." type "." type                                        \
        " {%0, %1, %2, %3, %4, %5, %6, %7}, "                                                              \
        "%8, %9, p, 1, 1, 0, %11;\n}\n"                                                                    \
        : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),        \
          "+f"(c[1][2]), "+f"(c[1][3])                                                                     \
        : "l"(a.at), "l"(b), "r"(int{add}), "n"(int{TransposedB})                                          \
        : "memory")

#define WEFT_WARPGROUP_PRODUCT_32(type)                                                                    \
  if constexpr (InRegisters)                                                                               \
    asm volatile(                                                                                          \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %21, 0;\n"                                                       \
        "wgmma.mma_async.sync.aligned.m64n32k16.f32." type "." type                                        \
        " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "                        \
        "{%16, %17, %18, %19}, %20, p, 1, 1, %22;\n}\n"                                                    \
        : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),        \
          "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),        \
          "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3])                                       \
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "l"(b), "r"(int{add}), "n"(int{TransposedB}) \
        : "memory");                                                                                       \
  else                                                                                                     \
    asm volatile(                                                                                          \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %18, 0;\n"                                                       \
        "wgmma.mma_async.sync.aligned.m64n32k16.f32." type "." type                                        \
        " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "                        \
        "%16, %17, p, 1, 1, 0, %19;\n}\n"                                                                  \
        : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),        \
          "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),        \
          "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3])                                       \
        : "l"(a.at), "l"(b), "r"(int{add}), "n"(int{TransposedB})                                          \
        : "memory")

#define WEFT_WARPGROUP_PRODUCT_64(type)                                                                     \
  if constexpr (InRegisters)                                                                                \
    asm volatile(                                                                                           \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                                                        \
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type                                         \
        " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, " \
        "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "                                          \
        "{%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}\n"                                                     \
        : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),         \
          "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),         \
          "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]), "+f"(c[4][0]), "+f"(c[4][1]),         \
          "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]), "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]),         \
          "+f"(c[6][0]), "+f"(c[6][1]), "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]),         \
          "+f"(c[7][2]), "+f"(c[7][3])                                                                      \
        : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "l"(b), "r"(int{add}), "n"(int{TransposedB})  \
        : "memory");                                                                                        \
  else                                                                                                      \
    asm volatile(                                                                                           \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                                                        \
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type                                         \
        " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, " \
        "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "                                          \
        "%32, %33, p, 1, 1, 0, %35;\n}\n"                                                                   \
        : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),         \
          "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),         \
          "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]), "+f"(c[4][0]), "+f"(c[4][1]),         \
          "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]), "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]),         \
          "+f"(c[6][0]), "+f"(c[6][1]), "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]),         \
          "+f"(c[7][2]), "+f"(c[7][3])                                                                      \
        : "l"(a.at), "l"(b), "r"(int{add}), "n"(int{TransposedB})                                           \
        : "memory")

// 16 columns of a: in registers, as MmaAtom<T>::A, or a descriptor's.
struct DescribedRows {
  u64 at;
};

template <class T, bool TransposedB, class A, int Columns>
__device__ __forceinline__ void begin_product(float (&c)[Columns][4], const A& a, u64 b, bool add) {
#ifdef WEFT_HAS_WARPGROUP_PRODUCTS
  static_assert(std::is_same_v<T, bf16> || std::is_same_v<T, f16>);
  static_assert(Columns == 2 || Columns == 4 || Columns == 8);
  constexpr bool InRegisters = !std::is_same_v<A, DescribedRows>;
  constexpr bool is_bf16 = std::is_same_v<T, bf16>;
  if constexpr (Columns == 2 && is_bf16) {
    WEFT_WARPGROUP_PRODUCT_16("bf16");
  } else if constexpr (Columns == 2) {
    WEFT_WARPGROUP_PRODUCT_16("f16");
  } else if constexpr (Columns == 4 && is_bf16) {
    WEFT_WARPGROUP_PRODUCT_32("bf16");
  } else if constexpr (Columns == 4) {
    WEFT_WARPGROUP_PRODUCT_32("f16");
  } else if constexpr (is_bf16) {
    WEFT_WARPGROUP_PRODUCT_64("bf16");
  } else {
    WEFT_WARPGROUP_PRODUCT_64("f16");
  }
#endif
}
#undef WEFT_WARPGROUP_PRODUCT_16
#undef WEFT_WARPGROUP_PRODUCT_32
#undef WEFT_WARPGROUP_PRODUCT_64

}  // namespace detail

// A tile of a matrix of 16-bit floats in shared memory as the instruction reads it: panels of 64, 32 or 16
// columns, whose rows lie side by side without gaps, their chunks of 16 bytes swizzled. Law: of a row of 128,
// 64 or 32 bytes chunk k lies at place k ^ (the row's first byte / 128), modulo the chunks; rows and columns
// that the matrix does not have are zeros. It begins at a multiple of 1024 bytes.
template <class T, int Rows, int Width>
struct WarpgroupTile {
  static constexpr int panel = Width % 64 == 0 ? 64 : Width % 32 == 0 ? 32 : 16;  // columns
  static constexpr int panels = Width / panel, row_bytes = 2 * panel, chunks = panel / 8;
  static constexpr int panel_bytes = Rows * row_bytes, bytes = panels * panel_bytes;
  static_assert(sizeof(T) == 2 && Width % 16 == 0 && bytes % 1024 == 0 && Rows % 16 == 0);

  // Bytes from the tile's first to chunk `chunk` of a row's Width / 8.
  __device__ __forceinline__ static int at(int row, int chunk) {
    return chunk / chunks * panel_bytes + row * row_bytes +
           (chunk % chunks ^ row * row_bytes / 128 % chunks) * 16;
  }

  // What a thread copies of the tiles that lie below one another in a matrix, Rows apart: its first chunk of
  // the first tile. Matrix() is that tile, asked for anew wherever its numbers are needed: most are a
  // launch's.
  template <int Threads, class Matrix>
  struct Copies {
    static constexpr int row_chunks = Width / 8, step = Threads / row_chunks;  // rows that are copied at once
    static constexpr bool keeps_columns = Threads % row_chunks == 0 && step % 8 == 0;
    Matrix matrix;
    const T* next;
    int to;

    __device__ __forceinline__ explicit Copies(const Matrix& of) : matrix(of), next(nullptr), to(0) {
      if constexpr (keeps_columns) {
        const GlobalRows<T> from = matrix();
        next = from.at + first_row() * from.row + chunk() * 8;
        to = at(first_row(), chunk());
      }
    }
    // Begins to copy tile number `t`, of which `rows` rows of `width` elements are there, by all of the
    // block's threads.
    __device__ __forceinline__ void begin(unsigned char* tile, int t, int rows, int width) const {
      const GlobalRows<T> from = matrix();
      if (keeps_columns && from.in_chunks && rows >= Rows && width == Width) {
        const T* p = next + t * (Rows * from.row);
#pragma unroll
        for (int r = 0; r < Rows; r += step, p += step * from.row)
          if (r + step <= Rows || first_row() + r < Rows) detail::copy_chunk(tile + to + r * row_bytes, p);
      } else {
        begin_cut(tile, from, from.at + i64{t} * Rows * from.row, rows, width);
      }
    }

   private:
    __device__ __forceinline__ static int first_row() { return static_cast<int>(threadIdx.x) / row_chunks; }
    __device__ __forceinline__ static int chunk() { return static_cast<int>(threadIdx.x) % row_chunks; }
    // Chunks that are not whole or do not lie side by side, one by one: few tiles.
    __device__ __forceinline__ static void begin_cut(unsigned char* tile, const GlobalRows<T>& from,
                                                     const T* first, int rows, int width) {
      const int rank = static_cast<int>(threadIdx.x);
      if (from.in_chunks) {
#pragma unroll 1
        for (int k = rank; k < Rows * row_chunks; k += Threads) {
          const int r = k / row_chunks, c = k % row_chunks;
          const int rest = r < rows ? (width - c * 8) * 2 : 0;
          const bool there = rest > 0;
          detail::copy_16_bytes(tile + at(r, c), there ? first + r * from.row + c * 8 : first,
                                !there      ? 0
                                : rest < 16 ? rest
                                            : 16);
        }
      } else {
#pragma unroll 1
        for (int k = rank; k < Rows * Width; k += Threads) {
          const int r = k / Width, c = k % Width;
          *(reinterpret_cast<T*>(tile + at(r, c / 8)) + c % 8) =
              r < rows && c < width ? first[r * from.row + c * from.column] : T(0.0f);
        }
      }
    }
  };
  template <int Threads, class Matrix>
  __device__ __forceinline__ static Copies<Threads, Matrix> copies(const Matrix& matrix) {
    return Copies<Threads, Matrix>(matrix);
  }

  // What the instruction is told of a matrix whose first row is `row`, a multiple of 8, at the byte `column`
  // of a panel.
  __device__ __forceinline__ static u64 descriptor(const unsigned char* tile, int in_panel, int row,
                                                   int column) {
    constexpr u64 groups_of_rows = 8 * row_bytes, swizzle = panel == 64 ? 1 : panel == 32 ? 2 : 3;
    const u32 address =
        detail::shared_address(tile) + static_cast<u32>(in_panel * panel_bytes + row * row_bytes + column);
    return u64{(address & 0x3ffff) >> 4} | u64{1} << 16 | (groups_of_rows >> 4) << 32 | swizzle << 62;
  }
  // 16 columns from `k` on of the rows from `row` on.
  __device__ __forceinline__ static u64 along_rows(const unsigned char* tile, int row, int k) {
    return descriptor(tile, k / panel, row, k % panel * 2);
  }
  // The columns of a panel in 16 rows from `row` on.
  __device__ __forceinline__ static u64 along_columns(const unsigned char* tile, int row, int in_panel) {
    return descriptor(tile, in_panel, row, 0);
  }
};

// Begins c (64, 8 Columns) = a b^T: rows [row, row + 64) of tile `a` and rows [b_row, b_row + 8 Columns) of
// tile `b`, both Depth wide. (Rows that stay are read from shared memory by each product, too: what
// ptxas 13.0 is told to keep in registers for products of several trips of a loop it writes over in the
// first.)
template <class T, class A, class B, int Depth, int Columns>
__device__ __forceinline__ void begin_warpgroup_product_transposed(float (&c)[Columns][4],
                                                                   const unsigned char* a, int row,
                                                                   const unsigned char* b, int b_row = 0) {
  constexpr int columns = Columns < 8 ? Columns : 8;  // of one instruction
#pragma unroll
  for (int k = 0; k < Depth; k += 16)
#pragma unroll
    for (int n = 0; n < Columns; n += columns)
      detail::begin_product<T, false>(reinterpret_cast<float(&)[columns][4]>(c[n]),
                                      detail::DescribedRows{A::along_rows(a, row, k)},
                                      B::along_rows(b, b_row + 8 * n, k), k > 0);
}

// Begins c (64, 8 Columns) += a b: sums `a` (64, 16 Depths), rounded to T, and as many rows of tile `b` from
// `row` on.
template <class T, class Tile, int Columns, int Depths>
__device__ __forceinline__ void begin_warpgroup_product(float (&c)[Columns][4],
                                                        const typename MmaAtom<T>::A (&a)[Depths],
                                                        const unsigned char* b, int row = 0) {
  constexpr int columns = Tile::panel / 8;  // of a product
#pragma unroll
  for (int k = 0; k < Depths; ++k)
#pragma unroll
    for (int p = 0; p < Tile::panels; ++p)
      detail::begin_product<T, true>(reinterpret_cast<float(&)[columns][4]>(c[p * columns]), a[k],
                                     Tile::along_columns(b, row + 16 * k, p), true);
}
// What of_sums makes of sums (64, 16 Depths).
template <class T, int Columns>
struct RoundedSums {
  typename MmaAtom<T>::A of[Columns / 2];
  __device__ __forceinline__ explicit RoundedSums(const float (&c)[Columns][4]) {
#pragma unroll
    for (int k = 0; k < Columns / 2; ++k)
      of[k] = MmaAtom<T>::of_sums(reinterpret_cast<const float(&)[2][4]>(c[2 * k]));
  }
};

}  // namespace WEFT_NAMESPACE::kernels
