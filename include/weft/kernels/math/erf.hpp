#pragma once
// erf and erfc in f32: a polynomial near zero, and e to the power of one, or of -x^2 times one, further out.

#include "weft/kernels/math/exp.hpp"

namespace WEFT_NAMESPACE::kernels::detail {

template <class V>
WEFT_HD_INLINE V erf_small(const V& t) {  // t + t p(t^2) for |t| < 0.92, relative error 2^-31
  const V p = polynomial(V(t * t), 0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2e0ap-4f, -0x1.b80e9p-6f,
                         0x1.54c7f4p-8f, -0x1.aa3f2cp-11f, 0x1.5cd4aap-14f);
  return fma(t, p, t);
}

template <class V>
WEFT_HD_INLINE V erf_f32(const V& x) {
  const V t = absolute(x);
  const V u = clamp(t, 0.0f, 4.0f);
  // -log(erfc(u)) = u + u p(u) for 0.92 <= u <= 4, error in erf 2^-32
  const V p = polynomial(u, 0x1.074624p-3f, 0x1.4570aep-1f, 0x1.af27fp-4f, -0x1.737e3ap-6f, 0x1.800fc4p-9f,
                         -0x1.9ff69ap-15f, -0x1.7e5ce2p-15f, 0x1.4b65e8p-18f);
  const V large = splat<V>(1.0f) - exp_f32(V(-fma(u, p, u)));
  return with_sign(select(t < splat<V>(0.92f), erf_small(t), large), sign_bit(x));
}

// erfc(t) for 0.4 <= t, in double up to the last step, as e^(-t^2) magnifies rounding errors of t^2.
template <class V>
WEFT_HD_INLINE V erfc_tail(const V& t) {
  using D = rebind<V, double>;
  const D u = convert<D>(clamp(t, 0.4f, 10.2f));
  const D shift = splat<D>(0x1.8p52);
  const D shifted = fma(D(u * u), splat<D>(-0x1.71547652b82fep+0), shift);
  const D r = fma(shifted - shift, splat<D>(-0x1.62e42fefa39efp-1), D(-(u * u)));
  // e^r for |r| <= ln 2 / 2, relative error 2^-34
  const D exponential = polynomial(r, 1.0, 1.0, 0.5000000068704785, 0.166666658564725, 0.041666291176688394,
                                   0.008333498786658828, 0.0013944943248791297, 0.00019790066703096674);
  // erfc(t) e^(t^2) (1 + 2 t) = p(q) with q = (t - 4) / (t + 4), relative error 2^-28.5
  const D q = (u - splat<D>(4.0)) / (u + splat<D>(4.0));
  const D p =
      polynomial(q, 1.2329951197425275, -0.13962106255544765, 0.015379471778453009, 0.06809395036346845,
                 -0.10103601431341405, 0.09378322249349254, -0.06632297780823021, 0.036854393246445544,
                 -0.01647778176618726, 0.005661351758180717, 0.00022782352752917406);
  const V value = convert<V>(D(p / (splat<D>(1.0) + (u + u)) * exponential));
  return scale_by_power(value, cast_value<int_of<V>>(to_bits(shifted)));
}
template <class V>
WEFT_HD_INLINE V erfc_f32(const V& x) {
  const V t = absolute(x);
  const V near = splat<V>(1.0f) - with_sign(erf_small(t), sign_bit(x));
  const V tail = erfc_tail(t);
  const V far = select(x < splat<V>(0.0f), V(splat<V>(2.0f) - tail), tail);
  return select(mask_or(t < splat<V>(0.47f), t != t), near, far);
}

}  // namespace WEFT_NAMESPACE::kernels::detail
