#pragma once
// Polynomials with constant coefficients, the highest power first: what approximations are made of.

#include "weft/ops/math/special.hpp"

namespace WEFT_NAMESPACE::detail {

// c[0] x^(N-1) + ... + c[N-1]
template <int N>
constexpr auto polynomial(const auto& x, const double (&c)[N]) {
  auto r = add(mul(x, c[0]), c[1]);
  for (int k = 2; k < N; ++k) r = add(mul(r, x), c[k]);
  return r;
}
// x^N + c[0] x^(N-1) + ... + c[N-1]
template <int N>
constexpr auto monic(const auto& x, const double (&c)[N]) {
  auto r = add(x, c[0]);
  for (int k = 1; k < N; ++k) r = add(mul(r, x), c[k]);
  return r;
}

}  // namespace WEFT_NAMESPACE::detail
