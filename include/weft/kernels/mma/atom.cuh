#pragma once
// A warp's product of small matrices on the tensor cores: fragments, how they are read from shared memory,
// and the instruction. Law: c (16, 8) += a (16, depth) b (depth, 8), whose terms are exact products of what
// the fragments hold; f32 is split into two tf32 numbers each and three products, so that about 21 bits of a
// factor count.
//
// (PTX ISA, Matrix multiply-accumulate operation using mma instruction. Ootomo, Yokota: Recovering single
// precision accuracy from Tensor Cores, 2022.)

#include <type_traits>

#include "weft/core/small_float.hpp"
#include "weft/device/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// Whether every target of this compilation has the instructions.
constexpr bool targets_have_mma() {
  constexpr int targets[]{__CUDA_ARCH_LIST__};
  for (const int target : targets)
    if (target < 800) return false;
  return true;
}

// Of 16 x 8 sums each thread of the warp holds four: rows lane / 4 and 8 more, columns 2 (lane % 4) and the
// next.
struct MmaPlace {
  int lane = static_cast<int>(threadIdx.x) % 32;
  int row = lane / 4, column = 2 * (lane % 4);
};

namespace detail {

__device__ __forceinline__ u32 shared_address(const void* p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}
// Four 8 x 8 matrices of 16-bit elements; each lane gives the address of a row of 16 bytes.
template <bool Transposed>
__device__ __forceinline__ void load_matrices(u32 (&r)[4], const void* row) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
#endif
}

// The bits of x rounded to 10 bits of mantissa.
__device__ __forceinline__ u32 to_tf32(float x) {
  u32 r = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
#endif
  return r;
}
__device__ __forceinline__ void multiply_add_tf32(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

}  // namespace detail

// bf16 and f16, depth 16.
template <class T>
struct MmaAtom {
  static_assert(std::is_same_v<T, bf16> || std::is_same_v<T, f16>);
  static constexpr int depth = 16;
  struct A {
    u32 r[4];
  };
  struct B {
    u32 r[2];
  };

  // a from 16 rows of a tile in shared memory.
  __device__ __forceinline__ static A load_a(const T* tile, int pitch) {
    const int lane = MmaPlace{}.lane;
    A a;
    detail::load_matrices<false>(a.r, tile + lane % 16 * pitch + lane / 16 * 8);
    return a;
  }
  // a from 16 rows that are its columns.
  __device__ __forceinline__ static A load_a_transposed(const T* tile, int pitch) {
    const int lane = MmaPlace{}.lane;
    A a;
    detail::load_matrices<true>(a.r, tile + (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 8);
    return a;
  }
  // Two neighbouring b, from 16 rows that are their columns.
  __device__ __forceinline__ static void load_b_transposed(B (&b)[2], const T* tile, int pitch) {
    const int lane = MmaPlace{}.lane;
    u32 r[4];
    detail::load_matrices<false>(r, tile + (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 8);
    b[0] = {{r[0], r[1]}}, b[1] = {{r[2], r[3]}};
  }
  // Two neighbouring b, from `depth` rows.
  __device__ __forceinline__ static void load_b(B (&b)[2], const T* tile, int pitch) {
    const int lane = MmaPlace{}.lane;
    u32 r[4];
    detail::load_matrices<true>(r, tile + lane % 16 * pitch + lane / 16 * 8);
    b[0] = {{r[0], r[1]}}, b[1] = {{r[2], r[3]}};
  }
  // a from sums of `depth` columns, rounded; it goes with load_b.
  __device__ __forceinline__ static A of_sums(const float (&c)[depth / 8][4]) {
    return {{pack(c[0][0], c[0][1]), pack(c[0][2], c[0][3]), pack(c[1][0], c[1][1]), pack(c[1][2], c[1][3])}};
  }
  __device__ __forceinline__ static void multiply_add(float (&c)[4], const A& a, const B& b) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, bf16>)
      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
    else
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
#endif
  }

 private:
  __device__ __forceinline__ static u32 pack(float low, float high) {
    u32 r = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, bf16>)
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    else
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
#endif
    return r;
  }
};

// f32, depth 8. Column k of a and row k of b are one: 2 k for k < 4 and 2 (k - 4) + 1 behind, where a is made
// of sums, so that each thread has what it needs.
template <>
struct MmaAtom<f32> {
  static constexpr int depth = 8;
  struct A {
    u32 high[4], low[4];
  };
  struct B {
    u32 high[2], low[2];
  };

  __device__ __forceinline__ static A load_a(const f32* tile, int pitch) {
    const MmaPlace at;
    const f32* const p = tile + at.row * pitch + at.lane % 4;
    A a;
    split(p[0], a.high[0], a.low[0]);
    split(p[8 * pitch], a.high[1], a.low[1]);
    split(p[4], a.high[2], a.low[2]);
    split(p[8 * pitch + 4], a.high[3], a.low[3]);
    return a;
  }
  __device__ __forceinline__ static void load_b_transposed(B (&b)[2], const f32* tile, int pitch) {
    const MmaPlace at;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const f32* const p = tile + (8 * n + at.row) * pitch + at.lane % 4;
      split(p[0], b[n].high[0], b[n].low[0]);
      split(p[4], b[n].high[1], b[n].low[1]);
    }
  }
  __device__ __forceinline__ static void load_b(B (&b)[2], const f32* tile, int pitch) {
    const MmaPlace at;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const f32* const p = tile + at.column * pitch + 8 * n + at.row;
      split(p[0], b[n].high[0], b[n].low[0]);
      split(p[pitch], b[n].high[1], b[n].low[1]);
    }
  }
  __device__ __forceinline__ static A of_sums(const float (&c)[depth / 8][4]) {
    A a;
    split(c[0][0], a.high[0], a.low[0]);
    split(c[0][2], a.high[1], a.low[1]);
    split(c[0][1], a.high[2], a.low[2]);
    split(c[0][3], a.high[3], a.low[3]);
    return a;
  }
  // Small products first; that of the small parts is left out.
  __device__ __forceinline__ static void multiply_add(float (&c)[4], const A& a, const B& b) {
    detail::multiply_add_tf32(c, a.low, b.high);
    detail::multiply_add_tf32(c, a.high, b.low);
    detail::multiply_add_tf32(c, a.high, b.high);
  }

 private:
  __device__ __forceinline__ static void split(float x, u32& high, u32& low) {
    high = detail::to_tf32(x);
    const float rest = x - __uint_as_float(high);
    low = rest == rest ? detail::to_tf32(rest) : 0;  // infinities have none
  }
};

// f32 that is rounded to tf32 already, depth 8: one product.
struct Tf32 {
  f32 value;
};
template <>
struct MmaAtom<Tf32> {
  static constexpr int depth = 8;
  struct A {
    u32 r[4];
  };
  struct B {
    u32 r[2];
  };
  __device__ __forceinline__ static void multiply_add(float (&c)[4], const A& a, const B& b) {
    detail::multiply_add_tf32(c, a.r, b.r);
  }
};

}  // namespace WEFT_NAMESPACE::kernels
