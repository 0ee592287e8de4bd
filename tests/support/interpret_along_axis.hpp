#pragma once
// The primitives along one axis, evaluated plainly over arrays of doubles: (outer, extent, inner) in
// row-major order. Sorting is the C++ library's.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/leaves.hpp"
#include "weft/ir/along_axis.hpp"

namespace weft::testing {

inline double folded(ir::Fold f, double x, double y) {
  switch (f) {
    case ir::Fold::sum:
      return x + y;
    case ir::Fold::prod:
      return x * y;
    case ir::Fold::max:
      return std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN() : std::max(x, y);
    case ir::Fold::min:
      return std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN() : std::min(x, y);
    default:
      if (x == y && std::isinf(x)) return x;
      return std::max(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
  }
}
// What dtype t starts a fold with.
inline double neutral(ir::Fold f, DType t) {
  const double most = is_float(t)       ? std::numeric_limits<double>::infinity()
                      : t == DType::i32 ? 2147483647.0
                                        : 9223372036854774784.0;  // of what a double holds
  return f == ir::Fold::sum    ? 0
         : f == ir::Fold::prod ? 1
         : f == ir::Fold::min  ? most
         : is_float(t)         ? -most
                               : -most - 1;
}

// Calls f(o, k, at) for every line; at(i, length) is where element i of a line of that length lies.
template <class F>
void for_each_line(const ir::AxisExtents& s, F f) {
  for (i64 o = 0; o < s.outer; ++o)
    for (i64 k = 0; k < s.inner; ++k)
      f([&s, o, k](i64 i, i64 length) { return static_cast<std::size_t>((o * length + i) * s.inner + k); });
}

inline Array scan_lines(const Array& x, const ir::AxisExtents& s, ir::Fold fold, bool reversed, DType t) {
  Array r(x.size());
  for_each_line(s, [&](auto at) {
    double running = 0;
    for (i64 n = 0; n < s.extent; ++n) {
      const std::size_t p = at(reversed ? s.extent - 1 - n : n, s.extent);
      running = n == 0 ? x[p] : folded(fold, running, x[p]);
      r[p] = rounded(t, running);
    }
  });
  return r;
}

inline Array argsort_lines(const Array& x, const ir::AxisExtents& s, i64 count, bool descending) {
  Array r(static_cast<std::size_t>(s.outer * count * s.inner));
  for_each_line(s, [&](auto at) {
    std::vector<i64> order(static_cast<std::size_t>(s.extent));
    std::iota(order.begin(), order.end(), i64{0});
    std::stable_sort(order.begin(), order.end(), [&](i64 i, i64 j) {
      const double a = x[at(descending ? j : i, s.extent)], b = x[at(descending ? i : j, s.extent)];
      return std::isnan(b) ? !std::isnan(a) : a < b;
    });
    for (i64 i = 0; i < count; ++i) r[at(i, count)] = static_cast<double>(order[static_cast<std::size_t>(i)]);
  });
  return r;
}

// -1 outside.
inline i64 place_of(double index, i64 extent) {
  const i64 i = static_cast<i64>(index), at = i < 0 ? i + extent : i;
  return at >= 0 && at < extent ? at : -1;
}

inline Array take_lines(const Array& x, const Array& index, const ir::AxisExtents& s, i64 count, bool zero,
                        DType t) {
  Array r(index.size());
  const double missing = zero || !is_float(t) ? 0 : std::numeric_limits<double>::quiet_NaN();
  for_each_line(s, [&](auto at) {
    for (i64 j = 0; j < count; ++j) {
      const i64 p = place_of(index[at(j, count)], s.extent);
      r[at(j, count)] = p < 0 ? missing : x[at(p, s.extent)];
    }
  });
  return r;
}

inline Array scatter_lines(const Array& index, const Array& update, const ir::AxisExtents& s, i64 count,
                           ir::Fold fold, DType t) {
  Array r(static_cast<std::size_t>(s.outer * s.extent * s.inner), neutral(fold, t));
  for_each_line(s, [&](auto at) {
    for (i64 j = 0; j < count; ++j) {
      const i64 p = place_of(index[at(j, count)], s.extent);
      if (p >= 0) r[at(p, s.extent)] = rounded(t, folded(fold, r[at(p, s.extent)], update[at(j, count)]));
    }
  });
  return r;
}

inline Array search_lines(const Array& sorted, const Array& x, const ir::AxisExtents& s, i64 count,
                          bool right) {
  Array r(x.size());
  for_each_line(s, [&](auto at) {
    for (i64 j = 0; j < count; ++j) {
      const double v = x[at(j, count)];
      i64 below = 0;
      for (i64 i = 0; i < s.extent; ++i) {
        const double y = sorted[at(i, s.extent)];
        below += right ? !(y > v) : !(y >= v);
      }
      r[at(j, count)] = static_cast<double>(below);
    }
  });
  return r;
}

}  // namespace weft::testing
