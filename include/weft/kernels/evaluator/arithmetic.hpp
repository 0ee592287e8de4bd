#pragma once
// One pointwise instruction on values: a scalar on the GPU, a Simd of lanes on the host. Small floating types
// are computed in f32 and rounded after every operation, so that a result never depends on what was fused.

#include "weft/core/philox.hpp"
#include "weft/kernels/evaluator/code.hpp"
#include "weft/kernels/math/functions.hpp"
#include "weft/kernels/simd/load_store.hpp"

namespace WEFT_NAMESPACE::kernels {

// The host's values: 16 lanes.
struct LaneFamily {
  static constexpr int width = lanes;
  template <class T>
  using value = Simd<T>;
  using mask = Simd<i32>;
};
// A GPU thread's values: one element.
struct ScalarFamily {
  static constexpr int width = 1;
  template <class T>
  using value = T;
  using mask = bool;
};

// The register kinds; boolean values are masks.
enum class Kind : u8 { f32, f64, i32, u32, i64, mask };
WEFT_HD constexpr Kind kind_of(DType t) {
  switch (t) {
    case DType::f64:
      return Kind::f64;
    case DType::i64:
      return Kind::i64;
    case DType::u32:
      return Kind::u32;
    case DType::boolean:
      return Kind::mask;
    case DType::i32:
    case DType::i8:
    case DType::u8:
      return Kind::i32;
    default:
      return Kind::f32;
  }
}

namespace detail {
template <Kind kind>
struct register_type {
  using type = float;
};
template <>
struct register_type<Kind::f64> {
  using type = double;
};
template <>
struct register_type<Kind::i32> {
  using type = i32;
};
template <>
struct register_type<Kind::u32> {
  using type = u32;
};
template <>
struct register_type<Kind::i64> {
  using type = i64;
};
}  // namespace detail

template <DType t>
using register_scalar = typename detail::register_type<kind_of(t)>::type;

template <class Family, DType t>
struct ValueOf {
  using type = typename Family::template value<register_scalar<t>>;
};
template <class Family>
struct ValueOf<Family, DType::boolean> {
  using type = typename Family::mask;
};
template <class Family, DType t>
using value_of = typename ValueOf<Family, t>::type;

// A mask for 8-byte lanes from one for 4-byte lanes, and back.
template <class V, class M>
WEFT_HD_INLINE mask_of<V> widen_mask(const M& m) {
  if constexpr (std::is_same_v<M, mask_of<V>>)
    return m;
  else
    return convert<mask_of<V>>(m);
}
template <class Family, class M>
WEFT_HD_INLINE typename Family::mask narrow_mask(const M& m) {
  if constexpr (std::is_same_v<M, typename Family::mask>)
    return m;
  else
    return convert<typename Family::mask>(m);
}

// Rounds a register to what dtype t can hold.
template <DType t, class V>
WEFT_HD_INLINE V round_to(const V& x) {
  if constexpr (t == DType::f16 || t == DType::bf16 || t == DType::f8e4m3 || t == DType::f8e5m2 ||
                t == DType::i8 || t == DType::u8) {
    using S = ctype<t>;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (t == DType::bf16 && std::is_same_v<V, float>)  // the code is the upper half of the number
      return from_bits(static_cast<i32>(::weft::detail::encode_pair_on_gpu<BfloatFormat>(0, x)));
#endif
#if !defined(__CUDA_ARCH__)
    if constexpr (is_small_float<S> && !(t == DType::f16 && detail::has_half_intrinsics))
      return decode_float<typename S::Format>(encode_float<typename S::Format>(x));
#endif
    S stored[lanes];
    store(stored, x);
    return load<V>(static_cast<const S*>(stored));
  } else {
    return x;
  }
}

template <DType to, DType from, class Family, class V>
WEFT_HD_INLINE value_of<Family, to> cast_register(const V& x) {
  using R = value_of<Family, to>;
  if constexpr (to == DType::boolean && from == DType::boolean) {
    return x;
  } else if constexpr (to == DType::boolean) {
    return narrow_mask<Family>(x != splat<V>(0));
  } else if constexpr (from == DType::boolean) {
    return select(widen_mask<R>(x), splat<R>(1), splat<R>(0));
  } else if constexpr (std::is_same_v<R, V>) {
    return round_to<to>(x);
  } else {
    return round_to<to>(convert<R>(x));
  }
}

// All lanes false.
template <class M>
WEFT_HD_INLINE M splat_false() {
  if constexpr (std::is_same_v<M, bool>)
    return false;
  else
    return splat<M>(0);
}

// Integer quotient, remainder and power, lane by lane; a zero divisor gives 0, as no exception may leave a
// kernel (and lanes beyond a row's end hold zeros). Overflow wraps; a negative power is 0 but of 1 and -1.
template <Opcode op, class T>
WEFT_HD_INLINE T integer_lane(T x, T y) {
  if constexpr (op == Opcode::div) {
    return y == 0 ? T(0) : y == T(-1) ? static_cast<T>(u64{0} - static_cast<u64>(x)) : static_cast<T>(x / y);
  } else if constexpr (op == Opcode::fmod) {
    return y == 0 || y == T(-1) ? T(0) : static_cast<T>(x % y);
  } else {
    static_assert(op == Opcode::pow, "operation not defined for integers");
    using U = std::make_unsigned_t<T>;
    const bool odd = y % 2 != 0;
    if (y < 0) return x == 1 ? T(1) : x == T(-1) ? (odd ? T(-1) : T(1)) : T(0);
    U r = 1, base = static_cast<U>(x);
    for (U n = static_cast<U>(y); n > 0; n /= 2) {
      if (n % 2 != 0) r *= base;
      base *= base;
    }
    return static_cast<T>(r);
  }
}
template <Opcode op, class V>
WEFT_HD_INLINE V integer_binary(const V& x, const V& y) {
  using T = lane_of<V>;
  if constexpr (std::is_same_v<T, V>) {
    return integer_lane<op>(x, y);
  } else {
    T a[lanes], b[lanes];
    __builtin_memcpy(a, &x, sizeof a);
    __builtin_memcpy(b, &y, sizeof b);
    for (int i = 0; i < lanes; ++i) a[i] = integer_lane<op>(a[i], b[i]);
    V r;
    __builtin_memcpy(&r, a, sizeof r);
    return r;
  }
}

namespace detail {
template <class V>
WEFT_HD_INLINE V fused_multiply_add(const V& a, const V& b, const V& c) {
  constexpr int width = static_cast<int>(sizeof(V) / sizeof(lane_of<V>));
  if constexpr (width == 1 || std::is_arithmetic_v<V>) {
    return std::is_same_v<V, double>
               ? static_cast<V>(__builtin_fma(a, b, c))
               : static_cast<V>(
                     __builtin_fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
  } else if constexpr (SimdValue<V> && std::is_floating_point_v<lane_of<V>> && fma_is_fused) {
    return fma(a, b, c);
  } else {
    lane_of<V> x[width], y[width], z[width];
    __builtin_memcpy(x, &a, sizeof x);
    __builtin_memcpy(y, &b, sizeof y);
    __builtin_memcpy(z, &c, sizeof z);
    for (int j = 0; j < width; ++j) x[j] = fused_multiply_add(x[j], y[j], z[j]);
    return load<V>(static_cast<const lane_of<V>*>(x));
  }
}
}  // namespace detail

// a * b + c of dtype t, in one rounding to it (of small floats, one to f32 and one to t), lane by lane.
template <DType t, class V>
WEFT_HD_INLINE V multiply_add(const V& a, const V& b, const V& c) {
  return round_to<t>(detail::fused_multiply_add(a, b, c));
}

template <Opcode op, class V>
WEFT_HD_INLINE V math_unary(const V& x) {
  if constexpr (op == Opcode::exp) return exp(x);
  if constexpr (op == Opcode::expm1) return expm1(x);
  if constexpr (op == Opcode::log) return log(x);
  if constexpr (op == Opcode::log1p) return log1p(x);
  if constexpr (op == Opcode::sqrt) return sqrt(x);
  if constexpr (op == Opcode::rsqrt) return rsqrt(x);
  if constexpr (op == Opcode::sin) return sin(x);
  if constexpr (op == Opcode::cos) return cos(x);
  if constexpr (op == Opcode::tan) return tan(x);
  if constexpr (op == Opcode::asin) return asin(x);
  if constexpr (op == Opcode::acos) return acos(x);
  if constexpr (op == Opcode::atan) return atan(x);
  if constexpr (op == Opcode::sinh) return sinh(x);
  if constexpr (op == Opcode::cosh) return cosh(x);
  if constexpr (op == Opcode::tanh) return tanh(x);
  if constexpr (op == Opcode::sigmoid) return sigmoid(x);
  if constexpr (op == Opcode::erf) return erf(x);
  if constexpr (op == Opcode::erfc) return erfc(x);
  if constexpr (op == Opcode::floor) return floor(x);
  if constexpr (op == Opcode::ceil) return ceil(x);
  if constexpr (op == Opcode::round) return round(x);
  if constexpr (op == Opcode::trunc) return trunc(x);
}

// One operand of dtype `from` to a result of dtype `to`.
template <Opcode op, DType to, DType from, class Family, class V>
WEFT_HD_INLINE value_of<Family, to> unary(const V& x) {
  if constexpr (op == Opcode::cast) {
    return cast_register<to, from, Family>(x);
  } else if constexpr (op == Opcode::bitcast) {
    if constexpr (kind_of(to) == kind_of(from)) {
      return x;
    } else {
      value_of<Family, to> r;
      static_assert(sizeof(r) == sizeof(x), "bitcast: dtypes of different size");
      __builtin_memcpy(&r, &x, sizeof r);
      return r;
    }
  } else if constexpr (op == Opcode::copy) {
    return x;
  } else if constexpr (from == DType::boolean) {
    static_assert(op == Opcode::logical_not, "operation not defined for boolean values");
    return x == splat_false<V>();
  } else if constexpr (op == Opcode::logical_not) {
    return narrow_mask<Family>(x == splat<V>(0));
  } else if constexpr (op == Opcode::is_nan) {
    return narrow_mask<Family>(x != x);
  } else if constexpr (op == Opcode::is_finite) {
    return narrow_mask<Family>((x - x) == splat<V>(0));
  } else if constexpr (op == Opcode::neg && !is_float(to)) {
    return round_to<to>(wrapping_sub(splat<V>(0), x));
  } else if constexpr (op == Opcode::neg) {
    return round_to<to>(V(-x));
  } else if constexpr (op == Opcode::abs) {
    if constexpr (is_float(to))
      return kernels::abs(x);
    else
      return round_to<to>(select(x < splat<V>(0), wrapping_sub(splat<V>(0), x), x));
  } else if constexpr (op == Opcode::sign) {
    const V one = splat<V>(1), zero = splat<V>(0);
    return select(x > zero, one, select(x < zero, V(-one), zero));  // NaN gives 0, as in PyTorch
  } else if constexpr (!is_float(to)) {
    static_assert(op == Opcode::floor || op == Opcode::ceil || op == Opcode::round || op == Opcode::trunc,
                  "operation not defined for integers");
    return x;
  } else {
    return round_to<to>(math_unary<op>(x));
  }
}

template <Opcode op, DType to, DType from, class Family, class V>
WEFT_HD_INLINE value_of<Family, to> binary(const V& x, const V& y) {
  if constexpr (from == DType::boolean) {
    if constexpr (op == Opcode::bit_and || op == Opcode::mul || op == Opcode::min)
      return x & y;
    else if constexpr (op == Opcode::bit_or || op == Opcode::add || op == Opcode::max)
      return x | y;
    else if constexpr (op == Opcode::bit_xor || op == Opcode::ne)
      return x ^ y;
    else if constexpr (op == Opcode::eq)
      return (x ^ y) == splat_false<V>();
    else if constexpr (op == Opcode::lt)
      return (x == splat_false<V>()) & y;
    else
      return (x == splat_false<V>()) | y;
  } else if constexpr (op == Opcode::eq) {
    return narrow_mask<Family>(x == y);
  } else if constexpr (op == Opcode::ne) {
    return narrow_mask<Family>(x != y);
  } else if constexpr (op == Opcode::lt) {
    return narrow_mask<Family>(x < y);
  } else if constexpr (op == Opcode::le) {
    return narrow_mask<Family>(x <= y);
  } else if constexpr (op == Opcode::max) {
    return maximum(x, y);
  } else if constexpr (op == Opcode::min) {
    return minimum(x, y);
  } else if constexpr (op == Opcode::bit_and) {
    return x & y;
  } else if constexpr (op == Opcode::bit_or) {
    return x | y;
  } else if constexpr (op == Opcode::bit_xor) {
    return x ^ y;
  } else if constexpr (op == Opcode::shift_right) {
    // by no less than 0 and by less than the width: beyond, the sign is left
    using T = lane_of<V>;
    constexpr T most = static_cast<T>(8 * sizeof(T) - 1);
    return x >> select(mask_or(y<splat<V>(0), y> splat<V>(most)), splat<V>(most), y);
  } else if constexpr (op == Opcode::add) {
    return round_to<to>(wrapping_add(x, y));
  } else if constexpr (op == Opcode::sub) {
    return round_to<to>(wrapping_sub(x, y));
  } else if constexpr (op == Opcode::mul) {
    return round_to<to>(wrapping_mul(x, y));
  } else if constexpr (op == Opcode::div && is_float(to)) {
    return round_to<to>(V(x / y));
  } else if constexpr (!is_float(to)) {
    return round_to<to>(integer_binary<op>(x, y));
  } else if constexpr (op == Opcode::pow) {
    return round_to<to>(pow(x, y));
  } else if constexpr (op == Opcode::fmod) {
    return round_to<to>(fmod(x, y));
  } else {
    return round_to<to>(atan2(x, y));
  }
}

}  // namespace WEFT_NAMESPACE::kernels
