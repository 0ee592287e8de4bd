#pragma once
// The mathematical functions of double and Simd<double>: the C library's, lane by lane. f64 is for checking,
// not for speed.

#include "weft/kernels/simd/simd.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {
template <class Fn>
WEFT_HD_INLINE Simd<double> map_lanes(const Simd<double>& x, const Fn& fn) {
  double lane[lanes];
  __builtin_memcpy(lane, &x, sizeof lane);
  for (int i = 0; i < lanes; ++i) lane[i] = fn(lane[i]);
  Simd<double> r;
  __builtin_memcpy(&r, lane, sizeof r);
  return r;
}
template <class Fn>
WEFT_HD_INLINE Simd<double> map_lanes(const Simd<double>& x, const Simd<double>& y, const Fn& fn) {
  double a[lanes], b[lanes];
  __builtin_memcpy(a, &x, sizeof a);
  __builtin_memcpy(b, &y, sizeof b);
  for (int i = 0; i < lanes; ++i) a[i] = fn(a[i], b[i]);
  Simd<double> r;
  __builtin_memcpy(&r, a, sizeof r);
  return r;
}
}  // namespace detail

#if defined(__CUDA_ARCH__)
#define WEFT_F64(name, host) ::name
#else
#define WEFT_F64(name, host) host
#endif
#define WEFT_F64_UNARY(name, host)                                                 \
  WEFT_HD_INLINE double name(double x) { return WEFT_F64(name, host)(x); }         \
  WEFT_HD_INLINE Simd<double> name(const Simd<double>& x) {                        \
    return detail::map_lanes(x, [](double v) { return WEFT_F64(name, host)(v); }); \
  }
WEFT_F64_UNARY(exp, __builtin_exp)
WEFT_F64_UNARY(exp2, __builtin_exp2)
WEFT_F64_UNARY(expm1, __builtin_expm1)
WEFT_F64_UNARY(log, __builtin_log)
WEFT_F64_UNARY(log2, __builtin_log2)
WEFT_F64_UNARY(log1p, __builtin_log1p)
WEFT_F64_UNARY(sinh, __builtin_sinh)
WEFT_F64_UNARY(cosh, __builtin_cosh)
WEFT_F64_UNARY(tanh, __builtin_tanh)
WEFT_F64_UNARY(erf, __builtin_erf)
WEFT_F64_UNARY(erfc, __builtin_erfc)
WEFT_F64_UNARY(sin, __builtin_sin)
WEFT_F64_UNARY(cos, __builtin_cos)
WEFT_F64_UNARY(tan, __builtin_tan)
WEFT_F64_UNARY(asin, __builtin_asin)
WEFT_F64_UNARY(acos, __builtin_acos)
WEFT_F64_UNARY(atan, __builtin_atan)
WEFT_F64_UNARY(sqrt, __builtin_sqrt)
WEFT_F64_UNARY(floor, __builtin_floor)
WEFT_F64_UNARY(ceil, __builtin_ceil)
WEFT_F64_UNARY(trunc, __builtin_trunc)
#undef WEFT_F64_UNARY

#define WEFT_F64_BINARY(name, host)                                                                \
  WEFT_HD_INLINE double name(double x, double y) { return WEFT_F64(name, host)(x, y); }            \
  WEFT_HD_INLINE Simd<double> name(const Simd<double>& x, const Simd<double>& y) {                 \
    return detail::map_lanes(x, y, [](double a, double b) { return WEFT_F64(name, host)(a, b); }); \
  }
WEFT_F64_BINARY(pow, __builtin_pow)
WEFT_F64_BINARY(fmod, __builtin_fmod)
WEFT_F64_BINARY(atan2, __builtin_atan2)
#undef WEFT_F64_BINARY
#undef WEFT_F64

WEFT_HD_INLINE double abs(double x) { return __builtin_fabs(x); }
WEFT_HD_INLINE Simd<double> abs(const Simd<double>& x) { return from_bits(to_bits(x) & 0x7fffffffffffffff); }
// To the nearest integer, ties to even.
WEFT_HD_INLINE double round(double x) { return __builtin_rint(x); }
WEFT_HD_INLINE Simd<double> round(const Simd<double>& x) {
  return detail::map_lanes(x, [](double v) { return __builtin_rint(v); });
}
WEFT_HD_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
WEFT_HD_INLINE Simd<double> rsqrt(const Simd<double>& x) { return 1.0 / sqrt(x); }
// Python's %: the sign of y.
WEFT_HD_INLINE double remainder(double x, double y) {
  const double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
WEFT_HD_INLINE Simd<double> remainder(const Simd<double>& x, const Simd<double>& y) {
  return detail::map_lanes(x, y, [](double a, double b) { return remainder(a, b); });
}

}  // namespace WEFT_NAMESPACE::kernels
