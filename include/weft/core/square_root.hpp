#pragma once
// The square root while compiling, where std::sqrt is not constexpr.

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE {

// By Newton's iteration; 0 for x <= 0.
constexpr double square_root(double x) {
  if (!(x > 0)) return 0;
  double r = x > 1 ? x : 1;
  for (int i = 0; i < 200; ++i) {
    const double next = 0.5 * (r + x / r);
    if (next == r) break;
    r = next;
  }
  return r;
}

}  // namespace WEFT_NAMESPACE
