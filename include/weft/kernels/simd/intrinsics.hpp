#pragma once
// The few machine instructions that portable vector code cannot express: fused multiply-add, square root,
// minimum, scaling by a power of two, half-precision conversion and widening multiplication of one part of a
// Simd. Law: each is exact or correctly rounded (conversions: to nearest, ties to even), so it gives the same
// bits as its scalar definition.

#include "weft/core/config.hpp"
#include "weft/core/philox.hpp"
#include "weft/core/types.hpp"
#include "weft/kernels/simd/simd.hpp"

namespace WEFT_NAMESPACE::kernels {

// Whether fma(a, b, c) rounds once. Where the host has no such instruction it is a product and a sum.
#if defined(__CUDA_ARCH__) || defined(__FMA__)
inline constexpr bool fma_is_fused = true;
#else
inline constexpr bool fma_is_fused = false;
#endif

// a * b + c, the only contraction in weft's arithmetic: rounded once where fma_is_fused, else twice.
WEFT_HD_INLINE float fma(float a, float b, float c) {
  if constexpr (fma_is_fused) {
    return __builtin_fmaf(a, b, c);
  } else {
    return a * b + c;
  }
}
WEFT_HD_INLINE double fma(double a, double b, double c) {
  if constexpr (fma_is_fused) {
    return __builtin_fma(a, b, c);
  } else {
    return a * b + c;
  }
}

namespace detail {

using FloatPart = Simd<float>::Part;
using DoublePart = Simd<double>::Part;

#if defined(__CUDA_ARCH__)
inline constexpr bool has_half_intrinsics = false;
WEFT_HD_INLINE float fma_part(float a, float b, float c) { return fma(a, b, c); }
WEFT_HD_INLINE double fma_part(double a, double b, double c) { return fma(a, b, c); }
WEFT_HD_INLINE float sqrt_part(float x) { return __builtin_sqrtf(x); }
WEFT_HD_INLINE float lesser_part(float a, float b) { return a < b ? a : b; }
WEFT_HD_INLINE float greater_part(float a, float b) { return a > b ? a : b; }
inline constexpr bool has_scale_intrinsics = false;
#else

using HalfPart = VectorOf<i16, Simd<float>::width>::type;

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
static_assert(sizeof(FloatPart) == 64);
inline constexpr bool has_half_intrinsics = true;
inline constexpr int current_rounding = 4;
inline constexpr u8 all_double_lanes = 0xff;
// nvcc's front end gives this mask parameter another sign than g++ and clang do.
#if defined(__CUDACC__)
inline constexpr i16 all_lanes = -1;
#else
inline constexpr u16 all_lanes = 0xffff;
#endif
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, all_lanes, current_rounding);
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, all_double_lanes, current_rounding);
}
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) {
#if defined(__clang__)
  return __builtin_ia32_sqrtps512(x, current_rounding);
#else
  return __builtin_ia32_sqrtps512_mask(x, x, all_lanes, current_rounding);
#endif
}
// a < b ? a : b, and a > b ? a : b.
WEFT_INLINE FloatPart lesser_part(const FloatPart& a, const FloatPart& b) {
#if defined(__clang__)
  return __builtin_ia32_minps512(a, b, current_rounding);
#else
  return __builtin_ia32_minps512_mask(a, b, a, all_lanes, current_rounding);
#endif
}
WEFT_INLINE FloatPart greater_part(const FloatPart& a, const FloatPart& b) {
#if defined(__clang__)
  return __builtin_ia32_maxps512(a, b, current_rounding);
#else
  return __builtin_ia32_maxps512_mask(a, b, a, all_lanes, current_rounding);
#endif
}
// x * 2^k for integral k, rounded once.
inline constexpr bool has_scale_intrinsics = true;
WEFT_INLINE FloatPart scale_part(const FloatPart& x, const FloatPart& k) {
  return __builtin_ia32_scalefps512_mask(x, k, x, all_lanes, current_rounding);
}
WEFT_INLINE HalfPart half_from_float(const FloatPart& x) {
  return __builtin_ia32_vcvtps2ph512_mask(x, 0, HalfPart{}, u16{0xffff});
}
WEFT_INLINE FloatPart float_from_half(const HalfPart& x) {
  return __builtin_ia32_vcvtph2ps512_mask(x, FloatPart{}, all_lanes, current_rounding);
}
#elif defined(__AVX2__)
static_assert(sizeof(FloatPart) == 32);
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) { return __builtin_ia32_sqrtps256(x); }
WEFT_INLINE FloatPart lesser_part(const FloatPart& a, const FloatPart& b) {
  return __builtin_ia32_minps256(a, b);
}
WEFT_INLINE FloatPart greater_part(const FloatPart& a, const FloatPart& b) {
  return __builtin_ia32_maxps256(a, b);
}
inline constexpr bool has_scale_intrinsics = false;
#if defined(__FMA__)
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return __builtin_ia32_vfmaddps256(a, b, c);
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
#endif
#if defined(__F16C__)
inline constexpr bool has_half_intrinsics = true;
WEFT_INLINE HalfPart half_from_float(const FloatPart& x) { return __builtin_ia32_vcvtps2ph256(x, 0); }
WEFT_INLINE FloatPart float_from_half(const HalfPart& x) { return __builtin_ia32_vcvtph2ps256(x); }
#else
inline constexpr bool has_half_intrinsics = false;
#endif
#else
static_assert(sizeof(FloatPart) == 16);
inline constexpr bool has_half_intrinsics = false;
inline constexpr bool has_scale_intrinsics = false;
WEFT_INLINE FloatPart lesser_part(const FloatPart& a, const FloatPart& b) {
#if defined(__SSE__)
  return __builtin_ia32_minps(a, b);
#else
  FloatPart r;
  for (int i = 0; i < Simd<float>::width; ++i) r[i] = a[i] < b[i] ? a[i] : b[i];
  return r;
#endif
}
WEFT_INLINE FloatPart greater_part(const FloatPart& a, const FloatPart& b) {
#if defined(__SSE__)
  return __builtin_ia32_maxps(a, b);
#else
  FloatPart r;
  for (int i = 0; i < Simd<float>::width; ++i) r[i] = a[i] > b[i] ? a[i] : b[i];
  return r;
#endif
}
#if defined(__SSE__)
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) { return __builtin_ia32_sqrtps(x); }
#else
WEFT_INLINE FloatPart sqrt_part(const FloatPart& x) {
  FloatPart r;
  for (int i = 0; i < Simd<float>::width; ++i) r[i] = __builtin_sqrtf(x[i]);
  return r;
}
#endif
#if defined(__FMA__)
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return __builtin_ia32_vfmaddps(a, b, c);
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return __builtin_ia32_vfmaddpd(a, b, c);
}
#endif
#endif
#if !defined(__FMA__)
WEFT_INLINE FloatPart fma_part(const FloatPart& a, const FloatPart& b, const FloatPart& c) {
  return a * b + c;
}
WEFT_INLINE DoublePart fma_part(const DoublePart& a, const DoublePart& b, const DoublePart& c) {
  return a * b + c;
}
#endif
#endif

}  // namespace detail

namespace detail {
// The first n numbers at p as a part, zeros behind them, and the first n of a part to p; memory beyond is
// left alone. Through a copy in memory the part would wait for the copy's pieces to be written.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && !defined(__CUDACC__)
inline constexpr bool has_masked_access = true;
WEFT_INLINE u16 first_lanes(int n) { return static_cast<u16>((1u << n) - 1u); }
WEFT_INLINE FloatPart load_first(const float* p, int n) {
  return __builtin_ia32_loadups512_mask(p, FloatPart{}, first_lanes(n));
}
WEFT_INLINE void store_first(float* p, const FloatPart& x, int n) {
  __builtin_ia32_storeups512_mask(p, x, first_lanes(n));
}
#elif defined(__AVX2__) && !defined(__CUDACC__)
inline constexpr bool has_masked_access = true;
WEFT_INLINE Simd<i32>::Part first_lanes(int n) {
  return Simd<i32>::Part{0, 1, 2, 3, 4, 5, 6, 7} < n - Simd<i32>::Part{};
}
WEFT_INLINE FloatPart load_first(const float* p, int n) {
  return __builtin_ia32_maskloadps256(reinterpret_cast<const FloatPart*>(p), first_lanes(n));
}
WEFT_INLINE void store_first(float* p, const FloatPart& x, int n) {
  __builtin_ia32_maskstoreps256(reinterpret_cast<FloatPart*>(p), first_lanes(n), x);
}
#else
inline constexpr bool has_masked_access = false;
FloatPart load_first(const float* p, int n);  // names alone: never called
void store_first(float* p, const FloatPart& x, int n);
#endif
}  // namespace detail

template <class T>
requires std::is_floating_point_v<T> WEFT_HD_INLINE Simd<T> fma(const Simd<T>& a, const Simd<T>& b,
                                                                const Simd<T>& c) {
  Simd<T> r;
  WEFT_EACH_PART(Simd<T>, r.part[j] = detail::fma_part(a.part[j], b.part[j], c.part[j]))
  return r;
}

namespace detail {
template <class V>
WEFT_HD_INLINE V sqrt_simd(const V& x) {
  V r;
  WEFT_EACH_PART(V, r.part[j] = sqrt_part(x.part[j]))
  return r;
}
}  // namespace detail

#if !defined(__CUDA_ARCH__)
namespace detail {
using WordPart = Simd<u32>::Part;
using PairPart = VectorOf<u64, Simd<u32>::width / 2>::type;

// The lower 32 bits of each pair times those of m. clang finds the instruction by itself, g++ does not.
WEFT_INLINE PairPart even_products(const PairPart& pairs, const PairPart& m) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
  using Signed = VectorOf<i32, Simd<u32>::width>::type;
  const Signed a = recast<Signed>(pairs), b = recast<Signed>(m);
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  using SignedPair = VectorOf<long long, Simd<u32>::width / 2>::type;
  return recast<PairPart>(__builtin_ia32_pmuludq512_mask(a, b, SignedPair{}, u8{0xff}));
#elif defined(__AVX2__)
  return recast<PairPart>(__builtin_ia32_pmuludq256(a, b));
#else
  return recast<PairPart>(__builtin_ia32_pmuludq128(a, b));
#endif
#else
  return (pairs & 0xffffffffu) * m;
#endif
}
}  // namespace detail

// Philox's product, for Simds.
template <class V>
requires std::is_same_v<V, Simd<u32>> WEFT_HD_INLINE WideProduct<V> wide_product(const V& a, u32 m) {
  const detail::PairPart factor = u64{m} - detail::PairPart{};
  WideProduct<V> r;
  WEFT_EACH_PART(V, const auto pairs = detail::recast<detail::PairPart>(a.part[j]);
                 const detail::PairPart even = detail::even_products(pairs, factor);
                 const detail::PairPart odd = detail::even_products(pairs >> 32, factor);
                 r.high.part[j] = detail::recast<detail::WordPart>((even >> 32) | (odd & ~u64{0xffffffffu})))
  r.low = a * m;
  return r;
}
#endif

}  // namespace WEFT_NAMESPACE::kernels
