#pragma once
// Conversion between the types that are stored and those that are computed with (float, double, i32, i64,
// u32), for scalars and Simds. Law: float to integer truncates toward zero and clamps to the integer's range,
// NaN to zero, on every machine; everything else is the C conversion, and small floats round to nearest even.

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "weft/core/small_float.hpp"
#include "weft/kernels/simd/intrinsics.hpp"
#include "weft/kernels/simd/simd.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {
template <class S>
struct RegisterOf {
  using type = std::conditional_t<is_small_float<S>, float,
                                  std::conditional_t<(sizeof(S) < 4), i32, S>>;  // bool, i8, u8 -> i32
};
}  // namespace detail

// The type that an element stored as S is computed with.
template <class S>
using register_of = typename detail::RegisterOf<S>::type;

// A stored element as its register type, and back.
template <class S>
WEFT_HD_INLINE register_of<S> widen(S x) {
  return static_cast<register_of<S>>(x);
}
template <class S>
WEFT_HD_INLINE S narrow(register_of<S> x) {
  if constexpr (std::is_same_v<S, bool>) {
    return x != 0;
  } else {
    return static_cast<S>(x);
  }
}

// The values 0, 1, 2, ... after start; a scalar is its start.
template <class V>
WEFT_HD_INLINE V iota(lane_of<V> start) {
  if constexpr (SimdValue<V>) {
    using T = lane_of<V>;
    constexpr T counts[lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    V r;
    __builtin_memcpy(&r, counts, sizeof r);
    return r + start;
  } else {
    return start;
  }
}

namespace detail {

#if !defined(__CUDA_ARCH__)
// The lower (0) or upper (1) half of a vector, and the vector of two halves. nvcc has no
// __builtin_shufflevector; without it g++ goes through memory.
template <class Half, int which, class Full, std::size_t... I>
WEFT_HD_INLINE Half half_of(const Full& full, std::index_sequence<I...>) {
#if defined(__CUDACC__)
  Half r;
  __builtin_memcpy(&r, reinterpret_cast<const char*>(&full) + which * sizeof r, sizeof r);
  return r;
#else
  return __builtin_shufflevector(full, full, (int{I} + which * int{sizeof...(I)})...);
#endif
}
template <class Full, class Half, std::size_t... I>
WEFT_HD_INLINE Full join_halves(const Half& low, const Half& high, std::index_sequence<I...>) {
#if defined(__CUDACC__)
  Full r;
  __builtin_memcpy(&r, &low, sizeof low);
  __builtin_memcpy(reinterpret_cast<char*>(&r) + sizeof low, &high, sizeof high);
  return r;
#else
  return __builtin_shufflevector(low, high, int{I}...);
#endif
}
#endif

// The C conversion of each lane, for values in range.
template <class To, class From>
WEFT_HD_INLINE Simd<To> cast_lanes(const Simd<From>& x) {
  Simd<To> r;
#if defined(__CUDA_ARCH__)
  WEFT_EACH_PART(Simd<To>, r.part[j] = static_cast<To>(x.part[j]))
#else
  using ToPart = typename Simd<To>::Part;
  if constexpr (Simd<To>::parts == Simd<From>::parts) {
    WEFT_EACH_PART(Simd<To>, r.part[j] = __builtin_convertvector(x.part[j], ToPart))
  } else if constexpr (Simd<To>::parts == 2 * Simd<From>::parts) {  // 4 bytes to 8
    using Half = typename VectorOf<From, Simd<To>::width>::type;
    constexpr auto lanes_of_half = std::make_index_sequence<Simd<To>::width>{};
    WEFT_EACH_PART(Simd<To>, r.part[j] = __builtin_convertvector(
                                 half_of<Half, j % 2>(x.part[j / 2], lanes_of_half), ToPart))
  } else {  // 8 bytes to 4
    static_assert(2 * Simd<To>::parts == Simd<From>::parts);
    using Half = typename VectorOf<To, Simd<From>::width>::type;
    WEFT_EACH_PART(Simd<To>, r.part[j] = join_halves<ToPart>(__builtin_convertvector(x.part[2 * j], Half),
                                                             __builtin_convertvector(x.part[2 * j + 1], Half),
                                                             std::make_index_sequence<Simd<To>::width>{}))
  }
#endif
  return r;
}

// Outside functions, since device code may not call std::numeric_limits.
template <class T>
inline constexpr T lowest_integer = std::numeric_limits<T>::min();
template <class T>
inline constexpr T highest_integer = std::numeric_limits<T>::max();

template <class To, class V>
WEFT_HD_INLINE To cast_value(const V& x) {
  if constexpr (SimdValue<V>) {
    return cast_lanes<lane_of<To>>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace detail

// x as the register type (or Simd) To.
template <class To, class V>
WEFT_HD_INLINE To convert(const V& x) {
  using T = lane_of<To>;
  using F = lane_of<V>;
  static_assert(detail::is_simd<To> == detail::is_simd<V>, "convert keeps the number of lanes");
  if constexpr (std::is_same_v<To, V>) {
    return x;
  } else if constexpr (std::is_floating_point_v<F> && std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr T low = detail::lowest_integer<T>;
    constexpr T high = detail::highest_integer<T>;
    constexpr F below = static_cast<F>(low);                  // exact: 0 or a power of two
    constexpr F above = F{2} * static_cast<F>(high / 2 + 1);  // high + 1, exact
    const auto fits = mask_and(x >= splat<V>(below), x < splat<V>(above));
    const To inside = detail::cast_value<To>(select(fits, x, splat<V>(F{0})));
    if constexpr (sizeof(T) == sizeof(F)) {
      return select(x >= splat<V>(above), splat<To>(high),
                    select(x < splat<V>(below), splat<To>(low), inside));
    } else if constexpr (SimdValue<V>) {
      using Mask = mask_of<To>;
      const Mask over = detail::cast_lanes<lane_of<Mask>>(x >= splat<V>(above));
      const Mask under = detail::cast_lanes<lane_of<Mask>>(x < splat<V>(below));
      return select(over, splat<To>(high), select(under, splat<To>(low), inside));
    } else {
      return x >= above ? high : x < below ? low : inside;
    }
  } else {
    return detail::cast_value<To>(x);
  }
}

namespace detail {

// The integer that holds a stored element's bits.
template <class S>
struct StoredBits {
  using type = S;
};
template <class Format, class Bits>
struct StoredBits<SmallFloat<Format, Bits>> {
  using type = Bits;
};
template <>
struct StoredBits<bool> {
  using type = u8;
};

#if !defined(__CUDA_ARCH__)
// The bits of as many stored elements as a part of 4-byte lanes holds.
template <class S>
using NarrowPart = typename VectorOf<typename StoredBits<S>::type, Simd<i32>::width>::type;
template <class Part, class S>
WEFT_HD_INLINE Part read_part(const S* p) {
  Part part;
  __builtin_memcpy(&part, p, sizeof part);
  return part;
}
template <class Part, class S>
WEFT_HD_INLINE void write_part(S* p, const Part& part) {
  __builtin_memcpy(static_cast<void*>(p), &part, sizeof part);
}
#endif

// 16 stored elements as a Simd of their register type; by parts, since g++ copies a whole Simd in pieces of
// another size.
template <class S>
WEFT_HD_INLINE Simd<register_of<S>> load_register(const S* p) {
  using V = Simd<register_of<S>>;
  V r;
#if defined(__CUDA_ARCH__)
  WEFT_EACH_PART(V, r.part[j] = widen(p[j]))
#else
  if constexpr (std::is_same_v<S, lane_of<V>>) {
    WEFT_EACH_PART(V, r.part[j] = read_part<typename V::Part>(p + j * V::width))
  } else if constexpr (std::is_same_v<S, f16> && has_half_intrinsics) {
    WEFT_EACH_PART(V, r.part[j] = float_from_half(read_part<HalfPart>(p + j * V::width)))
  } else {
    using Codes = Simd<i32>;
    Codes codes;
    WEFT_EACH_PART(Codes, codes.part[j] = __builtin_convertvector(
                              read_part<NarrowPart<S>>(p + j * Codes::width), typename Codes::Part))
    if constexpr (is_small_float<S>)
      r = decode_float<typename S::Format>(codes);
    else
      r = codes;
  }
#endif
  return r;
}

// The Simd's lanes as 16 stored elements. A bool is stored as 0 or 1.
template <class S>
WEFT_HD_INLINE void store_register(S* p, const Simd<register_of<S>>& x) {
  using V = Simd<register_of<S>>;
#if defined(__CUDA_ARCH__)
  WEFT_EACH_PART(V, p[j] = narrow<S>(x.part[j]))
#else
  if constexpr (std::is_same_v<S, lane_of<V>>) {
    WEFT_EACH_PART(V, write_part(p + j * V::width, x.part[j]))
  } else if constexpr (std::is_same_v<S, f16> && has_half_intrinsics) {
    WEFT_EACH_PART(V, write_part(p + j * V::width, half_from_float(x.part[j])))
  } else {
    using Codes = Simd<i32>;
    Codes codes;
    if constexpr (is_small_float<S>)
      codes = encode_float<typename S::Format>(x);
    else if constexpr (std::is_same_v<S, bool>)
      codes = (x != 0) & 1;
    else
      codes = x;
    WEFT_EACH_PART(Codes,
                   write_part(p + j * Codes::width, __builtin_convertvector(codes.part[j], NarrowPart<S>)))
  }
#endif
}

// A value about to be stored as S: bool keeps whether it was zero, which a conversion to i32 could lose.
template <class S, class V>
WEFT_HD_INLINE auto as_register(const V& value) {
  if constexpr (std::is_same_v<S, bool>) {
    if constexpr (SimdValue<V>) {
      using Mask = mask_of<V>;
      return convert<Simd<i32>>(select(value != splat<V>(0), splat<Mask>(1), splat<Mask>(0)));
    } else {
      return static_cast<i32>(value != V{0});
    }
  } else if constexpr (std::is_same_v<V, bool>) {
    return static_cast<i32>(value);
  } else {
    return value;
  }
}

}  // namespace detail

}  // namespace WEFT_NAMESPACE::kernels
