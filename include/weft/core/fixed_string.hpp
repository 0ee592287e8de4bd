#pragma once
// A string that can be a template argument: get<"fc1.weight">(), einsum<"ij,jk->ik">(a, b).
// Law: two FixedStrings with the same characters are the same template argument. One never reaches a
// __global__ template, which takes only integers.

#include <cstddef>
#include <string_view>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE {

// N characters and a terminating zero.
template <std::size_t N>
struct FixedString {
  char text[N + 1]{};

  constexpr FixedString() = default;
  constexpr FixedString(const char (&literal)[N + 1]) {
    for (std::size_t i = 0; i < N + 1; ++i) text[i] = literal[i];
  }

  static constexpr std::size_t size() { return N; }
  static constexpr bool empty() { return N == 0; }
  constexpr const char* c_str() const { return text; }
  constexpr std::string_view view() const { return {text, N}; }
  constexpr operator std::string_view() const { return view(); }
};

template <std::size_t M>
FixedString(const char (&)[M]) -> FixedString<M - 1>;

template <std::size_t A, std::size_t B>
constexpr bool operator==(const FixedString<A>& a, const FixedString<B>& b) {
  return a.view() == b.view();
}
template <std::size_t A>
constexpr bool operator==(const FixedString<A>& a, std::string_view b) {
  return a.view() == b;
}

template <std::size_t A, std::size_t B>
constexpr FixedString<A + B> operator+(const FixedString<A>& a, const FixedString<B>& b) {
  FixedString<A + B> joined;
  for (std::size_t i = 0; i < A; ++i) joined.text[i] = a.text[i];
  for (std::size_t i = 0; i < B; ++i) joined.text[A + i] = b.text[i];
  return joined;
}
template <std::size_t A, std::size_t M>
constexpr FixedString<A + M - 1> operator+(const FixedString<A>& a, const char (&b)[M]) {
  return a + FixedString<M - 1>(b);
}
template <std::size_t M, std::size_t B>
constexpr FixedString<M - 1 + B> operator+(const char (&a)[M], const FixedString<B>& b) {
  return FixedString<M - 1>(a) + b;
}

namespace fixed_string_detail {

constexpr std::size_t digits(unsigned long long value) {
  std::size_t count = 1;
  for (; value >= 10; value /= 10) ++count;
  return count;
}

}  // namespace fixed_string_detail

// The decimal digits of an unsigned number, as in the "3" of "h.3.attn".
template <unsigned long long Value>
constexpr auto decimal() {
  FixedString<fixed_string_detail::digits(Value)> digits;
  unsigned long long rest = Value;
  for (std::size_t i = digits.size(); i-- > 0; rest /= 10)
    digits.text[i] = static_cast<char>('0' + rest % 10);
  return digits;
}

}  // namespace WEFT_NAMESPACE
