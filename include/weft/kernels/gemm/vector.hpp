#pragma once
// The machine's vector of T, as the micro-kernel of the matrix product needs it: load, store, broadcast and a
// multiply-add that is fused exactly where the target has one. Compiler builtins in place of <immintrin.h>,
// which costs every includer half a second.

#include <type_traits>
#include <utility>

#include "weft/core/config.hpp"
#include "weft/core/types.hpp"

#if defined(__AVX512F__)
#define WEFT_DOT_BYTES 64
#elif defined(__AVX__)
#define WEFT_DOT_BYTES 32
#else
#define WEFT_DOT_BYTES 16
#endif

namespace WEFT_NAMESPACE::kernels {

// f(0), ..., f(N - 1) with constants. A loop would do, were it unrolled before arrays are split into
// registers; no spelling of that passes through every front end.
template <class F, int... I>
WEFT_INLINE void dot_each_of(F& f, std::integer_sequence<int, I...>) {
  (f(std::integral_constant<int, I>{}), ...);
}
template <int N, class F>
WEFT_INLINE void dot_each(F f) {
  dot_each_of(f, std::make_integer_sequence<int, N>{});
}
#define WEFT_DOT_LAMBDA __attribute__((always_inline))

// Integers are summed as unsigned, so that an overflow wraps.
template <class T>
struct DotVector;
template <>
struct DotVector<f32> {
  typedef f32 type __attribute__((vector_size(WEFT_DOT_BYTES)));
};
template <>
struct DotVector<f64> {
  typedef f64 type __attribute__((vector_size(WEFT_DOT_BYTES)));
};
template <>
struct DotVector<i32> {
  typedef u32 type __attribute__((vector_size(WEFT_DOT_BYTES)));
};
template <>
struct DotVector<i64> {
  typedef u64 type __attribute__((vector_size(WEFT_DOT_BYTES)));
};

template <class T>
inline constexpr i64 dot_lanes = WEFT_DOT_BYTES / static_cast<i64>(sizeof(T));

// Whether part of a vector of T can be loaded and stored at full speed.
template <class T>
inline constexpr bool dot_masks = false;
#if defined(__AVX512F__)
template <>
inline constexpr bool dot_masks<f32> = true;
template <>
inline constexpr bool dot_masks<f64> = true;
#endif

template <class T>
WEFT_INLINE typename DotVector<T>::type dot_load(const T* p) {
  typename DotVector<T>::type v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
WEFT_INLINE void dot_store(T* p, const typename DotVector<T>::type& v) {
  const typename DotVector<T>::type copy = v;  // taking v's own address would keep it in memory under nvcc
  __builtin_memcpy(p, &copy, sizeof copy);
}

// The first `count` lanes, 1 <= count <= dot_lanes<T>; a load sets the others to zero.
template <class T>
WEFT_INLINE typename DotVector<T>::type dot_load_first(const T* p, i64 count) {
  if (count == dot_lanes<T>) return dot_load<T>(p);
  T part[dot_lanes<T>]{};
  for (i64 i = 0; i < count; ++i) part[i] = p[i];
  return dot_load<T>(part);
}
template <class T>
WEFT_INLINE void dot_store_first(T* p, const typename DotVector<T>::type& v, i64 count) {
  if (count == dot_lanes<T>) return dot_store<T>(p, v);
  T part[dot_lanes<T>];
  dot_store<T>(part, v);
  for (i64 i = 0; i < count; ++i) p[i] = part[i];
}
#if defined(__AVX512F__)
template <>
WEFT_INLINE DotVector<f32>::type dot_load_first<f32>(const f32* p, i64 count) {
  return __builtin_ia32_loadups512_mask(p, DotVector<f32>::type{}, static_cast<u16>((1u << count) - 1u));
}
template <>
WEFT_INLINE void dot_store_first<f32>(f32* p, const DotVector<f32>::type& v, i64 count) {
  __builtin_ia32_storeups512_mask(p, v, static_cast<u16>((1u << count) - 1u));
}
template <>
WEFT_INLINE DotVector<f64>::type dot_load_first<f64>(const f64* p, i64 count) {
  return __builtin_ia32_loadupd512_mask(p, DotVector<f64>::type{}, static_cast<u8>((1u << count) - 1u));
}
template <>
WEFT_INLINE void dot_store_first<f64>(f64* p, const DotVector<f64>::type& v, i64 count) {
  __builtin_ia32_storeupd512_mask(p, v, static_cast<u8>((1u << count) - 1u));
}
#endif

// x in every lane: subtracting nothing keeps every x, -0 included, and the compiler drops it.
template <class T>
WEFT_INLINE typename DotVector<T>::type dot_splat(T x) {
  typename DotVector<T>::type nothing{};
  return static_cast<std::remove_reference_t<decltype(nothing[0])>>(x) - nothing;
}

// sum += x * y. On targets with a fused multiply-add it rounds once, otherwise twice: by an instruction's
// builtin where there is one, for clang fuses two operations only where they stay in one basic block.
template <class T>
WEFT_INLINE void dot_fma(typename DotVector<T>::type& sum, const typename DotVector<T>::type& x,
                         const typename DotVector<T>::type& y) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  sum += x * y;
}
#if defined(__AVX512F__)
// nvcc's front end gives this mask parameter another sign than g++ and clang do.
#if defined(__CUDACC__)
inline constexpr i16 dot_all_lanes = -1;
#else
inline constexpr u16 dot_all_lanes = 0xffff;
#endif
template <>
WEFT_INLINE void dot_fma<f32>(DotVector<f32>::type& sum, const DotVector<f32>::type& x,
                              const DotVector<f32>::type& y) {
  sum = __builtin_ia32_vfmaddps512_mask(x, y, sum, dot_all_lanes, 4);
}
template <>
WEFT_INLINE void dot_fma<f64>(DotVector<f64>::type& sum, const DotVector<f64>::type& x,
                              const DotVector<f64>::type& y) {
  sum = __builtin_ia32_vfmaddpd512_mask(x, y, sum, static_cast<u8>(255), 4);
}
#elif defined(__FMA__)
template <>
WEFT_INLINE void dot_fma<f32>(DotVector<f32>::type& sum, const DotVector<f32>::type& x,
                              const DotVector<f32>::type& y) {
  sum = __builtin_ia32_vfmaddps256(x, y, sum);
}
template <>
WEFT_INLINE void dot_fma<f64>(DotVector<f64>::type& sum, const DotVector<f64>::type& x,
                              const DotVector<f64>::type& y) {
  sum = __builtin_ia32_vfmaddpd256(x, y, sum);
}
#endif

}  // namespace WEFT_NAMESPACE::kernels
