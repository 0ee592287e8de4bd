#pragma once
// What is known of a value in the rows that fill up a batch (padding.hpp).

#include <initializer_list>
#include <limits>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::transforms {

// The numbers that a value may be; none: not known.
struct Candidates {
  static constexpr int most = 2;
  int count = 0;
  double at[most]{};

  static constexpr Candidates one(double x) { return {1, {x}}; }
  // What a division by zero, log(0) and the like give: no gradient behind it is a number, whatever masks it.
  static constexpr Candidates not_a_number() { return one(std::numeric_limits<double>::quiet_NaN()); }
  constexpr bool has_nan() const {
    for (int i = 0; i < count; ++i)
      if (at[i] != at[i]) return true;
    return false;
  }
  static constexpr bool is_infinite(double x) {
    return x == std::numeric_limits<double>::infinity() || x == -std::numeric_limits<double>::infinity();
  }
  constexpr bool has_infinity() const {
    for (int i = 0; i < count; ++i)
      if (is_infinite(at[i])) return true;
    return false;
  }
  constexpr bool known() const { return count > 0; }
  constexpr bool only(double x) const { return count == 1 && at[0] == x; }
  constexpr bool operator==(const Candidates& o) const {
    for (int i = 0; i < count; ++i)
      if (!o.has(at[i])) return false;
    return count == o.count;
  }
  constexpr bool has(double x) const {
    for (int i = 0; i < count; ++i)
      if (at[i] == x) return true;
    return false;
  }
  // False where there is no room for it: then nothing is known.
  constexpr bool add(double x) {
    if (has(x)) return true;
    if (count == most) {
      count = 0;
      return false;
    }
    at[count++] = x;
    return true;
  }
};

// Whether a value is a sum along the rows, in which padded rows are 0, or such a mean.
struct RowTotal {
  enum Kind : u8 { none, sum, mean } kind = none;
  bool inverse = false;
  double scale = 1;     // what the sum was multiplied by
  double elements = 0;  // that were summed

  constexpr bool cancels(const RowTotal& o, bool divided) const {
    return kind != none && kind == o.kind && (inverse == o.inverse) == divided;
  }
  // As it is in f16 and bf16, too.
  constexpr void multiply(double factor, i64 rows) {
    if (kind != sum || inverse) return;
    scale *= factor;
    constexpr double close = 1.0 / 256;
    for (const double n : {elements, static_cast<double>(rows)})
      if (scale * n > 1 - close && scale * n < 1 + close) kind = mean;
  }
};

struct PaddedValue {
  enum Kind : u8 { untouched, by_row, mixed } kind = untouched;
  // by_row: elements from one row to the next, in row-major order of all elements
  i64 stride = 0;
  // what it is in padded rows (by_row), or everywhere (untouched)
  Candidates candidates{};
  RowTotal total{};
};

}  // namespace WEFT_NAMESPACE::transforms
