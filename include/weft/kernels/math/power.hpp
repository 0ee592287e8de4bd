#pragma once
// pow, fmod and Python's remainder in f32, computed in double: log2(x) there is exact enough for y log2(x),
// and a remainder by quotients below 2^28 is exact.

#include "weft/kernels/math/basic.hpp"

namespace WEFT_NAMESPACE::kernels::detail {

// e + log2(m) of ax = 2^e m > 0 in double, relative error 2^-45: 2 atanh((m - 1) / (m + 1)) / ln 2.
template <class V>
WEFT_HD_INLINE rebind<V, double> log2_double(const V& ax) {
  using D = rebind<V, double>;
  const auto subnormal = ax < splat<V>(0x1p-126f);
  const int_of<V> bits = to_bits(select(subnormal, V(ax * splat<V>(0x1p23f)), ax));
  const int_of<V> e = (bits - 0x3f3504f3) >> 23;
  const D m = convert<D>(from_bits(bits - (e << 23)));
  const V exponent = convert<V>(e) - select(subnormal, splat<V>(23.0f), splat<V>(0.0f));
  const D s = (m - splat<D>(1.0)) / (m + splat<D>(1.0));
  const D p = polynomial(D(s * s), 2.8853900817778464, 0.9617966941147504, 0.5770779419219335,
                         0.41220930034417075, 0.31990360797390804, 0.28293161963698565);
  return fma(s, p, convert<D>(exponent));
}

template <class V>
WEFT_HD_INLINE V pow_f32(const V& x, const V& y) {
  using D = rebind<V, double>;
  const V one = splat<V>(1.0f), zero = splat<V>(0.0f), infinity = splat<V>(__builtin_inff());
  const V ax = absolute(x);
  const D logarithm = log2_double(ax);
  const D product = convert<D>(y) * logarithm;
  // Out of this range the result has overflowed or vanished; NaN ends up as the sum below makes it.
  const D capped = select(product > splat<D>(130.0), splat<D>(130.0), product);
  const D t = select(capped < splat<D>(-152.0), splat<D>(-152.0), capped);
  const D shift = splat<D>(0x1.8p52);
  const D shifted = t + shift;
  const V r = convert<V>(D(t - (shifted - shift)));
  const V p = polynomial(r, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6b08ap-5f, 0x1.3b29f2p-7f, 0x1.5d8a8cp-10f,
                         0x1.445ddep-13f, 0x1.fde40ap-17f);
  const V finite = scale_by_power(fma(p, r, one), cast_value<int_of<V>>(to_bits(shifted)));

  const auto is_edge = mask_or(ax == zero, ax == infinity);
  const auto grows = (ax == infinity);
  const V edge =
      select(mask_or(mask_and(grows, y > zero), mask_and(mask_not(grows), y < zero)), infinity, zero);
  const V magnitude = select(is_edge, edge, select(ax == one, one, finite));
  const V whole = floor_f32(y);
  const V halved = y * splat<V>(0.5f);
  const auto is_whole = whole == y;
  const auto is_odd = mask_and(is_whole, floor_f32(halved) != halved);
  const V with_parity = select(is_odd, with_sign(magnitude, sign_bit(x)), magnitude);
  const auto undefined = mask_and(mask_and(x < zero, ax < infinity), mask_not(is_whole));
  const auto is_nan = mask_or(mask_or(x != x, y != y), undefined);
  const V result = select(is_nan, splat<V>(__builtin_nanf("")), with_parity);
  return select(mask_or(x == one, y == zero), one, result);
}

// C's fmod: the sign of x, exact. Each round takes 28 bits off the quotient; one is enough for most.
template <class V>
WEFT_HD_INLINE V fmod_f32(const V& x, const V& y) {
  using D = rebind<V, double>;
  const V ax = absolute(x), ay = absolute(y);
  const V infinity = splat<V>(__builtin_inff());
  const auto valid = mask_and(ax<infinity, ay> splat<V>(0.0f));  // false for NaN
  D rest = convert<D>(select(valid, ax, splat<V>(0.0f)));
  const D divisor = convert<D>(select(mask_and(valid, ay < infinity), ay, infinity));
  for (auto more = rest >= divisor; any_lane(more); more = rest >= divisor) {
    const D quotient = select(more, D(rest / divisor), splat<D>(0.0));
    // The divisor times 2^j, j >= 0 such that the quotient by it is below 2^28.
    const auto exponent = (to_bits(quotient) >> 52) - 1023;
    using I = rebind<D, i64>;
    const I j = select(exponent > splat<I>(27), I(exponent - 27), splat<I>(0));
    const D power = from_bits((j + 1023) << 52);
    const D step = divisor * power;
    const D down = splat<D>(0x1p52);
    const D near = (quotient / power + down) - down;  // an integer, off by one at most
    const D left = rest - select(more, D(near * step), splat<D>(0.0));
    const D corrected = select(left < splat<D>(0.0), D(left + step), left);
    rest = select(more, corrected, rest);
  }
  return select(mask_and(valid, y == y), with_sign(convert<V>(rest), sign_bit(x)),
                splat<V>(__builtin_nanf("")));
}

// Python's %: the sign of y, as torch.remainder.
template <class V>
WEFT_HD_INLINE V remainder_f32(const V& x, const V& y) {
  const V r = fmod_f32(x, y);
  const auto differ = mask_not((sign_bit(r) ^ sign_bit(y)) == splat<int_of<V>>(0));
  return select(mask_and(r != splat<V>(0.0f), differ), V(r + y), r);
}

}  // namespace WEFT_NAMESPACE::kernels::detail
