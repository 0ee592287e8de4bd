#pragma once
// A number as it is written, digit by digit: what its nearest f64 no longer tells.

#include <string_view>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::io {

// A decimal number in the form of std::from_chars: [-]digits[.digits][e[+-]digits].
class Decimal {
 public:
  explicit Decimal(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t mark = text.find_first_of("eE");
    digits_ = text.substr(0, mark);
    const std::size_t point = digits_.find('.');
    whole_ = static_cast<i64>(point == std::string_view::npos ? digits_.size() : point);
    if (mark == std::string_view::npos) return;
    std::string_view exponent = text.substr(mark + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    i64 size = 0;
    constexpr i64 most = i64{1} << 60;  // more than any text has digits
    for (const char c : exponent) size = size < most / 16 ? size * 10 + (c - '0') : most;
    whole_ += negative ? -size : size;
  }

  // Whether its magnitude is one or more.
  bool at_least_one() const {
    i64 place = 0;
    for (const char c : digits_) {
      if (c == '.') continue;
      if (c != '0') return place < whole_;
      ++place;
    }
    return false;
  }
  // Its magnitude, if that is an integer below 2^64.
  bool to_integer(u64& out) const {
    u64 value = 0;
    i64 place = 0;
    const auto push = [&](char digit) {
      return !__builtin_mul_overflow(value, u64{10}, &value) &&
             !__builtin_add_overflow(value, static_cast<u64>(digit - '0'), &value);
    };
    for (const char c : digits_) {
      if (c == '.') continue;
      if (place < whole_ ? !push(c) : c != '0') return false;
      ++place;
    }
    for (; value != 0 && place < whole_; ++place)
      if (!push('0')) return false;
    out = value;
    return true;
  }

 private:
  std::string_view digits_;  // with their point
  i64 whole_ = 0;            // how many digits stand before the point once the exponent has moved it
};

}  // namespace WEFT_NAMESPACE::io
