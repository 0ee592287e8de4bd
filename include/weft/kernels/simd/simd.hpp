#pragma once
// Simd<T>: 16 numbers that the host's kernels treat as one value, as the GPU's kernels treat one number.
// Law: every operation is the scalar operation, lane by lane, and the lane count is the same on every
// machine, so results do not depend on the width of its vector registers.
//
// A Simd is an array of vectors as wide as the machine's: g++ turns comparisons of wider ones into scalar
// code, and vectors wider than the registers change the calling convention. Device compilation, where vectors
// may not appear at all, sees an array of 16 numbers; it never runs.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/core/config.hpp"
#include "weft/core/small_float.hpp"
#include "weft/core/types.hpp"

#if !defined(__CUDA_ARCH__)
#define WEFT_NATIVE_VECTORS 1
#else
#define WEFT_NATIVE_VECTORS 0
#endif

// Runs the statement with j = 0, 1, ..., each a constant, once for every part of Simd V: neither closures nor
// loops, which are what compilers spend their time on.
#if WEFT_NATIVE_VECTORS
#define WEFT_AT_PART(number, ...)              \
  {                                            \
    [[maybe_unused]] constexpr int j = number; \
    __VA_ARGS__;                               \
  }
#define WEFT_EACH_PART(V, ...)                             \
  WEFT_AT_PART(0, __VA_ARGS__)                             \
  if constexpr (V::parts > 1) WEFT_AT_PART(1, __VA_ARGS__) \
  if constexpr (V::parts > 2) {                            \
    WEFT_AT_PART(2, __VA_ARGS__)                           \
    WEFT_AT_PART(3, __VA_ARGS__)                           \
  }                                                        \
  if constexpr (V::parts > 4) {                            \
    WEFT_AT_PART(4, __VA_ARGS__)                           \
    WEFT_AT_PART(5, __VA_ARGS__)                           \
    WEFT_AT_PART(6, __VA_ARGS__)                           \
    WEFT_AT_PART(7, __VA_ARGS__)                           \
  }
#else
#define WEFT_EACH_PART(V, ...)         \
  for (int j = 0; j < V::parts; ++j) { \
    __VA_ARGS__;                       \
  }
#endif

namespace WEFT_NAMESPACE::kernels {

inline constexpr int lanes = 16;

namespace detail {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

// A vector of N numbers. Always spelled through this class: nvcc loses the attribute on local types.
template <class T, int N>
struct VectorOf {
#if WEFT_NATIVE_VECTORS
  typedef T type __attribute__((vector_size(N * sizeof(T))));
#else
  using type = T;
#endif
};

}  // namespace detail

template <class T>
struct alignas(lanes * sizeof(T) < 64 ? lanes * sizeof(T) : 64) Simd {
  using Lane = T;
#if WEFT_NATIVE_VECTORS
  static constexpr int width =
      detail::vector_bytes / int{sizeof(T)} < lanes ? detail::vector_bytes / int{sizeof(T)} : lanes;
#else
  static constexpr int width = 1;
#endif
  using Part = typename detail::VectorOf<T, width>::type;
  static constexpr int parts = lanes / width;
  static_assert(!WEFT_NATIVE_VECTORS || parts <= 8);
  Part part[parts];

  // Lane i, for tests and reductions.
  WEFT_HD_INLINE T operator[](int i) const { return reinterpret_cast<const LaneAlias*>(part)[i]; }

 private:
  typedef T LaneAlias __attribute__((may_alias));
};

namespace detail {

template <class V>
inline constexpr bool is_simd = false;
template <class T>
inline constexpr bool is_simd<Simd<T>> = true;

template <class V>
struct LaneOf {
  using type = V;
};
template <class T>
struct LaneOf<Simd<T>> {
  using type = T;
};

template <class V>
struct MaskOf {
  using type = bool;
};
template <class T>
struct MaskOf<Simd<T>> {
  using type = Simd<std::conditional_t<sizeof(T) == 8, i64, i32>>;
};

template <class V, class T>
struct Rebind {
  using type = T;
};
template <class U, class T>
struct Rebind<Simd<U>, T> {
  using type = Simd<T>;
};

// A part with the same value in every lane.
template <class T>
WEFT_HD_INLINE typename Simd<T>::Part fill_part(T value) {
#if WEFT_NATIVE_VECTORS
  return value - typename Simd<T>::Part{};  // subtraction of +0 keeps -0, addition would not
#else
  return value;
#endif
}

// The parts' bits as another type of the same size.
template <class To, class From>
WEFT_HD_INLINE To recast(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace detail

// The scalar type of a value: T for T and for Simd<T>.
template <class V>
using lane_of = typename detail::LaneOf<V>::type;
// What a comparison of two V gives: bool, or a Simd of 0 and -1 as wide as the lanes.
template <class V>
using mask_of = typename detail::MaskOf<V>::type;
// The value with V's number of lanes and T in each.
template <class V, class T>
using rebind = typename detail::Rebind<V, T>::type;
template <class V>
concept SimdValue = detail::is_simd<V>;

// s in every lane.
template <class V>
WEFT_HD_INLINE V splat(lane_of<V> s) {
  if constexpr (SimdValue<V>) {
    const auto filled = detail::fill_part<lane_of<V>>(s);
    V r;
    WEFT_EACH_PART(V, r.part[j] = filled)
    return r;
  } else {
    return s;
  }
}

#define WEFT_PACK_BINARY(op)                                                            \
  template <class T>                                                                    \
  WEFT_HD_INLINE Simd<T> operator op(const Simd<T>& a, const Simd<T>& b) {              \
    Simd<T> r;                                                                          \
    WEFT_EACH_PART(Simd<T>, r.part[j] = typename Simd<T>::Part(a.part[j] op b.part[j])) \
    return r;                                                                           \
  }                                                                                     \
  template <class T>                                                                    \
  WEFT_HD_INLINE Simd<T> operator op(const Simd<T>& a, std::type_identity_t<T> b) {     \
    return a op splat<Simd<T>>(b);                                                      \
  }                                                                                     \
  template <class T>                                                                    \
  WEFT_HD_INLINE Simd<T> operator op(std::type_identity_t<T> a, const Simd<T>& b) {     \
    return splat<Simd<T>>(a) op b;                                                      \
  }                                                                                     \
  template <class T, class U>                                                           \
  WEFT_HD_INLINE Simd<T>& operator op##=(Simd<T>& a, const U& b) {                      \
    return a = a op b;                                                                  \
  }
WEFT_PACK_BINARY(+)
WEFT_PACK_BINARY(-)
WEFT_PACK_BINARY(*)
WEFT_PACK_BINARY(/)
WEFT_PACK_BINARY(%)
WEFT_PACK_BINARY(&)
WEFT_PACK_BINARY(|)
WEFT_PACK_BINARY(^)
#undef WEFT_PACK_BINARY

// Shifts by the same count in every lane; arithmetic for signed types.
#define WEFT_PACK_SHIFT(op)                                                                 \
  template <class T>                                                                        \
  WEFT_HD_INLINE Simd<T> operator op(const Simd<T>& a, int count) {                         \
    Simd<T> r;                                                                              \
    WEFT_EACH_PART(Simd<T>, r.part[j] = typename Simd<T>::Part(a.part[j] op count))         \
    return r;                                                                               \
  }                                                                                         \
  template <class T>                                                                        \
  WEFT_HD_INLINE Simd<T> operator op(const Simd<T>& a, const Simd<T>& count) {              \
    Simd<T> r;                                                                              \
    WEFT_EACH_PART(Simd<T>, r.part[j] = typename Simd<T>::Part(a.part[j] op count.part[j])) \
    return r;                                                                               \
  }
WEFT_PACK_SHIFT(<<)
WEFT_PACK_SHIFT(>>)
#undef WEFT_PACK_SHIFT

#if WEFT_NATIVE_VECTORS
#define WEFT_PACK_MASK(expression) (expression)
#else
#define WEFT_PACK_MASK(expression) (-(expression))
#endif
#define WEFT_PACK_COMPARE(op)                                                                     \
  template <class T>                                                                              \
  WEFT_HD_INLINE mask_of<Simd<T>> operator op(const Simd<T>& a, const Simd<T>& b) {               \
    using Mask = mask_of<Simd<T>>;                                                                \
    Mask r;                                                                                       \
    WEFT_EACH_PART(Mask, r.part[j] = typename Mask::Part(WEFT_PACK_MASK(a.part[j] op b.part[j]))) \
    return r;                                                                                     \
  }                                                                                               \
  template <class T>                                                                              \
  WEFT_HD_INLINE mask_of<Simd<T>> operator op(const Simd<T>& a, std::type_identity_t<T> b) {      \
    return a op splat<Simd<T>>(b);                                                                \
  }
WEFT_PACK_COMPARE(<)
WEFT_PACK_COMPARE(<=)
WEFT_PACK_COMPARE(>)
WEFT_PACK_COMPARE(>=)
WEFT_PACK_COMPARE(==)
WEFT_PACK_COMPARE(!=)
#undef WEFT_PACK_COMPARE
#undef WEFT_PACK_MASK

template <class T>
WEFT_HD_INLINE Simd<T> operator-(const Simd<T>& a) {
  Simd<T> r;
  WEFT_EACH_PART(Simd<T>, r.part[j] = typename Simd<T>::Part(-a.part[j]))
  return r;
}
template <class T>
WEFT_HD_INLINE Simd<T> operator~(const Simd<T>& a) {
  Simd<T> r;
  WEFT_EACH_PART(Simd<T>, r.part[j] = typename Simd<T>::Part(~a.part[j]))
  return r;
}

namespace detail {
template <class T>
inline constexpr bool overflows = std::is_integral_v<T>&& std::is_signed_v<T>;
// A signed value's bits as unsigned ones, and back.
template <class To, class T>
WEFT_HD_INLINE Simd<To> as_lanes_of(const Simd<T>& x) {
  Simd<To> r;
  WEFT_EACH_PART(Simd<To>, r.part[j] = recast<typename Simd<To>::Part>(x.part[j]))
  return r;
}
template <class To, class T>
requires std::is_arithmetic_v<T> WEFT_HD_INLINE constexpr To as_lanes_of(T x) { return static_cast<To>(x); }
}  // namespace detail

// x + y, x - y and x * y, of integers modulo a power of two.
#define WEFT_WRAPPING(name, op)                                                               \
  template <class V>                                                                          \
  WEFT_HD_INLINE constexpr V name(const V& x, const V& y) {                                   \
    using T = lane_of<V>;                                                                     \
    if constexpr (detail::overflows<T>) {                                                     \
      using U = std::make_unsigned_t<T>;                                                      \
      return detail::as_lanes_of<T>(                                                          \
          static_cast<rebind<V, U>>(detail::as_lanes_of<U>(x) op detail::as_lanes_of<U>(y))); \
    } else {                                                                                  \
      return static_cast<V>(x op y);                                                          \
    }                                                                                         \
  }
WEFT_WRAPPING(wrapping_add, +)
WEFT_WRAPPING(wrapping_sub, -)
WEFT_WRAPPING(wrapping_mul, *)
#undef WEFT_WRAPPING

// The bits of floating-point lanes as integers of the same size, and back.
template <class T>
requires std::is_floating_point_v<T> WEFT_HD_INLINE mask_of<Simd<T>> to_bits(const Simd<T>& x) {
  using Bits = mask_of<Simd<T>>;
  Bits r;
  WEFT_EACH_PART(Bits, r.part[j] = detail::recast<typename Bits::Part>(x.part[j]))
  return r;
}
template <class T>
requires std::is_integral_v<T> WEFT_HD_INLINE auto from_bits(const Simd<T>& x) {
  using Float = Simd<std::conditional_t<sizeof(T) == 8, double, float>>;
  Float r;
  WEFT_EACH_PART(Float, r.part[j] = detail::recast<typename Float::Part>(x.part[j]))
  return r;
}
WEFT_HD_INLINE constexpr i64 to_bits(double x) { return __builtin_bit_cast(i64, x); }
WEFT_HD_INLINE constexpr double from_bits(i64 x) { return __builtin_bit_cast(double, x); }
using weft::from_bits;
using weft::to_bits;

// Logic on masks, for bool and for Simds of them. (clang warns about & between bools.)
WEFT_HD_INLINE bool mask_and(bool a, bool b) { return a && b; }
WEFT_HD_INLINE bool mask_or(bool a, bool b) { return a || b; }
WEFT_HD_INLINE bool mask_not(bool a) { return !a; }
template <class T>
WEFT_HD_INLINE Simd<T> mask_and(const Simd<T>& a, const Simd<T>& b) {
  return a & b;
}
template <class T>
WEFT_HD_INLINE Simd<T> mask_or(const Simd<T>& a, const Simd<T>& b) {
  return a | b;
}
template <class T>
WEFT_HD_INLINE Simd<T> mask_not(const Simd<T>& a) {
  return ~a;
}

// a where the mask is set, else b. Masks are what comparisons of values of this size give.
template <class T>
requires std::is_arithmetic_v<T> WEFT_HD_INLINE T select(bool mask, T a, T b) { return mask ? a : b; }
// Written with bits: nvcc's front end does not survive `mask ? a : b` on vectors of a dependent type.
template <class T>
WEFT_HD_INLINE Simd<T> select(const mask_of<Simd<T>>& mask, const Simd<T>& a, const Simd<T>& b) {
  Simd<T> r;
#if defined(__CUDACC__)
  using Part = typename Simd<T>::Part;
  using Bits = typename mask_of<Simd<T>>::Part;
  WEFT_EACH_PART(Simd<T>, r.part[j] = detail::recast<Part>((mask.part[j] & detail::recast<Bits>(a.part[j])) |
                                                           (~mask.part[j] & detail::recast<Bits>(b.part[j]))))
#else
  WEFT_EACH_PART(Simd<T>, r.part[j] = mask.part[j] ? a.part[j] : b.part[j])
#endif
  return r;
}

}  // namespace WEFT_NAMESPACE::kernels

#undef WEFT_NATIVE_VECTORS
