#pragma once
// The error that a function throws, for tests: its id, or all that it says.

#include <string>

#include "weft/core/error.hpp"

namespace weft::testing {

// "none" where f() throws nothing.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}
template <class F>
std::string said(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace weft::testing
