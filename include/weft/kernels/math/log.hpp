#pragma once
// log, log2 and log1p in f32: x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), then a minimax polynomial
// in f.

#include "weft/kernels/math/basic.hpp"

namespace WEFT_NAMESPACE::kernels::detail {

template <class V>
struct LogReduction {
  int_of<V> e;
  V f;
};
// For 0 < x < infinity, subnormal numbers included.
template <class V>
WEFT_HD_INLINE LogReduction<V> reduce_log(const V& x) {
  const auto subnormal = x < splat<V>(0x1p-126f);
  const int_of<V> bits = to_bits(select(subnormal, V(x * splat<V>(0x1p23f)), x)) & 0x7fffffff;
  const int_of<V> e = (bits - 0x3f3504f3) >> 23;
  const V m = from_bits(bits - (e << 23));
  return {e - select(subnormal, splat<int_of<V>>(23), splat<int_of<V>>(0)), m - splat<V>(1.0f)};
}

// y where 0 < x < infinity; -infinity at 0, NaN below, x at infinity and NaN.
template <class V>
WEFT_HD_INLINE V log_special(const V& x, const V& y) {
  const V infinity = splat<V>(__builtin_inff());
  const V high = select(x < infinity, y, x);
  const V low = select(x == splat<V>(0.0f), V(-infinity), splat<V>(__builtin_nanf("")));
  return select(x <= splat<V>(0.0f), select(x < splat<V>(0.0f), splat<V>(__builtin_nanf("")), low), high);
}

// e ln 2 + log(1 + f).
template <class V>
WEFT_HD_INLINE V log_from(const LogReduction<V>& a) {
  // log(1 + f) = f - f^2 / 2 + f^3 p(f), relative error 2^-30.3
  const V p = polynomial(a.f, 0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a4b6p-3f, -0x1.555c4p-3f, 0x1.23373cp-3f,
                         -0x1.fc23c6p-4f, 0x1.e6f504p-4f, -0x1.de333ep-4f, 0x1.1441bcp-4f);
  const V w = fma(a.f, p, splat<V>(-0.5f));
  const V e = convert<V>(a.e);
  const V low = fma(V(a.f * a.f), w, fma(e, splat<V>(-2.12194440e-4f), a.f));
  return fma(e, splat<V>(0.693359375f), low);
}

template <class V>
WEFT_HD_INLINE V log_f32(const V& x) {
  return log_special(x, log_from(reduce_log(x)));
}

template <class V>
WEFT_HD_INLINE V log2_f32(const V& x) {
  const LogReduction<V> a = reduce_log(x);
  // log2(1 + f) = f / ln 2 + f^2 q(f), relative error 2^-27.9; of 1 / ln 2 the 1 is exact
  const V q = polynomial(a.f, -0x1.71547p-1f, 0x1.ec7096p-2f, -0x1.715a76p-2f, 0x1.277e4p-2f, -0x1.eabc9cp-3f,
                         0x1.a3051ap-3f, -0x1.874bacp-3f, 0x1.7d4a7p-3f, -0x1.c2586ep-4f);
  const V low = fma(a.f, splat<V>(0x1.c551dap-2f), V(a.f * a.f) * q);
  const V y = (a.f + low) + convert<V>(a.e);
  return log_special(x, y);
}

// log(1 + x), with what 1 + x rounded away put back into f.
template <class V>
WEFT_HD_INLINE V log1p_f32(const V& x) {
  const V one = splat<V>(1.0f);
  const V u = one + x;
  const V lost = select(x < one, V(x - (u - one)), V(one - (u - x)));
  LogReduction<V> a = reduce_log(u);
  const V f = fma(lost, from_bits((127 - a.e) << 23), a.f);
  a.f = select(x < splat<V>(0x1p100f), f, a.f);
  const V y = log_special(u, log_from(a));
  return select(absolute(x) < splat<V>(0x1p-25f), x, y);
}

}  // namespace WEFT_NAMESPACE::kernels::detail
