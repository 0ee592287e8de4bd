#pragma once
// The mathematical functions of values: float and Simd<float>, double and Simd<double>.
// Law: on the host float and Simd<float> run the same code, without the C library and without branches on
// values (but for huge arguments of sin, cos and tan, and quotients in fmod); on the device a scalar is
// CUDA's own accurate function, but for sin, cos and tan (within 2 ulp there, too). Results depend neither on
// -ffp-contract nor on the vector width, only on fma_is_fused: sums of products go through fma, which rounds
// once where the machine can.
//
// Largest error measured, in ulps of the result: every float of the ranges where the error is largest and one
// in 101 elsewhere, subnormal arguments and results included (tests/unit/kernels/math/functions.cpp,
// -DWEFT_TEST_EVERY_FLOAT), with and without fused multiply-add. Specials (zeros, infinities, NaN) are as C's
// annex F says.
//
//   function       fused  not     domain                    function   fused  not     domain
//   exp            1.01   0.99    all                       sin        1.56   1.56    all, huge ones included
//   exp2           0.87   1.08    all                       cos        1.56   1.56    all, huge ones included
//   expm1          1.44   1.48    all                       tan        1.68   1.68    all, huge ones included
//   log            0.91   0.88    all                       asin       0.79   0.82    all
//   log2           1.31   1.43    all                       acos       1.07   1.10    all
//   log1p          1.43   1.50    all                       atan       1.54   1.67    all
//   sinh           1.62   1.62    all                       atan2      1.43   1.53    2^19 pairs
//   cosh           1.46   1.43    all                       pow        0.88   1.16    2^21 pairs
//   tanh           1.34   1.34    all                       sqrt       0.50   0.50    all
//   erf            1.11   1.27    all                       rsqrt      1.50   1.50    all
//   erfc           0.82   0.82    all                       fmod, remainder, floor, ceil, trunc, round: exact

#include "weft/kernels/math/basic.hpp"
#include "weft/kernels/math/erf.hpp"
#include "weft/kernels/math/exp.hpp"
#include "weft/kernels/math/f64.hpp"
#include "weft/kernels/math/log.hpp"
#include "weft/kernels/math/power.hpp"
#include "weft/kernels/math/trig.hpp"

namespace WEFT_NAMESPACE::kernels {

#if defined(__CUDA_ARCH__)
#define WEFT_F32(cuda, host) cuda
#else
#define WEFT_F32(cuda, host) host
#endif
#define WEFT_F32_UNARY(name, cuda)                                                       \
  WEFT_HD_INLINE float name(float x) { return WEFT_F32(::cuda, detail::name##_f32)(x); } \
  WEFT_HD_INLINE Simd<float> name(const Simd<float>& x) { return detail::name##_f32(x); }
WEFT_F32_UNARY(exp, expf)
WEFT_F32_UNARY(exp2, exp2f)
WEFT_F32_UNARY(expm1, expm1f)
WEFT_F32_UNARY(log, logf)
WEFT_F32_UNARY(log2, log2f)
WEFT_F32_UNARY(log1p, log1pf)
WEFT_F32_UNARY(sinh, sinhf)
WEFT_F32_UNARY(cosh, coshf)
WEFT_F32_UNARY(tanh, tanhf)
WEFT_F32_UNARY(erf, erff)
WEFT_F32_UNARY(erfc, erfcf)
WEFT_F32_UNARY(asin, asinf)
WEFT_F32_UNARY(acos, acosf)
WEFT_F32_UNARY(atan, atanf)
WEFT_F32_UNARY(floor, floorf)
WEFT_F32_UNARY(ceil, ceilf)
WEFT_F32_UNARY(trunc, truncf)
WEFT_F32_UNARY(round, rintf)  // ties to even
#undef WEFT_F32_UNARY
// CUDA's keep an array in a thread's memory for huge arguments.
#define WEFT_F32_OWN(name)                                             \
  WEFT_HD_INLINE float name(float x) { return detail::name##_f32(x); } \
  WEFT_HD_INLINE Simd<float> name(const Simd<float>& x) { return detail::name##_f32(x); }
WEFT_F32_OWN(sin)
WEFT_F32_OWN(cos)
WEFT_F32_OWN(tan)
#undef WEFT_F32_OWN

#define WEFT_F32_BINARY(name, cuda)                                                                  \
  WEFT_HD_INLINE float name(float x, float y) { return WEFT_F32(::cuda, detail::name##_f32)(x, y); } \
  WEFT_HD_INLINE Simd<float> name(const Simd<float>& x, const Simd<float>& y) {                      \
    return detail::name##_f32(x, y);                                                                 \
  }
WEFT_F32_BINARY(pow, powf)
WEFT_F32_BINARY(fmod, fmodf)    // C's: the sign of x
WEFT_F32_BINARY(atan2, atan2f)  // (y, x)
#undef WEFT_F32_BINARY
#undef WEFT_F32

// Python's %: the sign of y, as torch.remainder. (C's remainder rounds the quotient; this one floors it.)
WEFT_HD_INLINE float remainder(float x, float y) {
  const float r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
WEFT_HD_INLINE Simd<float> remainder(const Simd<float>& x, const Simd<float>& y) {
  return detail::remainder_f32(x, y);
}

// Exact to about 2 ulp; 0 where exp(-x) overflows.
template <class V>
requires std::is_floating_point_v<lane_of<V>> WEFT_HD_INLINE V sigmoid(const V& x) {
  const V one = splat<V>(1);
  return one / (one + exp(V(-x)));
}

WEFT_HD_INLINE float abs(float x) { return __builtin_fabsf(x); }
WEFT_HD_INLINE Simd<float> abs(const Simd<float>& x) { return detail::absolute(x); }
WEFT_HD_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
WEFT_HD_INLINE Simd<float> sqrt(const Simd<float>& x) { return detail::sqrt_simd(x); }
WEFT_HD_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
WEFT_HD_INLINE Simd<float> rsqrt(const Simd<float>& x) { return 1.0f / detail::sqrt_simd(x); }

}  // namespace WEFT_NAMESPACE::kernels
