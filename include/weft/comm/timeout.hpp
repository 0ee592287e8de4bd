#pragma once
// How long a rank waits for the others.

#include <cstdlib>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE::comm {

// In seconds: WEFT_COMM_TIMEOUT in the environment, or 300.
inline double rank_timeout() {
  const char* given = std::getenv("WEFT_COMM_TIMEOUT");
  const double seconds = given != nullptr ? std::atof(given) : 0;
  return seconds > 0 ? seconds : 300;
}

}  // namespace WEFT_NAMESPACE::comm
