#pragma once
// The id of the error that a function throws, for tests.

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

}  // namespace weft::testing
