#pragma once
// Elements one after another in host memory, of every dtype that a program reads: std::vector but for bool,
// whose vector keeps bits.

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::data {

// Of bool, one byte each; made of a std::vector<bool>.
class Flags {
 public:
  using value_type = bool;
  Flags() = default;
  explicit Flags(std::size_t count, bool value = false) : bytes_(count, value) {}
  Flags(std::initializer_list<bool> values) : bytes_(values.begin(), values.end()) {}
  Flags(const std::vector<bool>& values) : bytes_(values.begin(), values.end()) {}
  // A byte that holds a bool, 0 or 1, is read as one: char types may alias any other.
  const bool* data() const { return reinterpret_cast<const bool*>(bytes_.data()); }
  bool* data() { return reinterpret_cast<bool*>(bytes_.data()); }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const bool& operator[](std::size_t i) const { return data()[i]; }
  bool& operator[](std::size_t i) { return data()[i]; }
  const bool* begin() const { return data(); }
  const bool* end() const { return data() + size(); }
  void reserve(std::size_t count) { bytes_.reserve(count); }
  void push_back(bool value) { bytes_.push_back(value); }

 private:
  static_assert(sizeof(bool) == sizeof(unsigned char));
  std::vector<unsigned char> bytes_;
};

template <class T>
using Values = std::conditional_t<std::is_same_v<T, bool>, Flags, std::vector<T>>;

}  // namespace WEFT_NAMESPACE::data
