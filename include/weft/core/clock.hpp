#pragma once
// A clock to measure with. (<chrono> would be a third of what including weft.hpp takes.)

#include <time.h>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// Seconds of a clock that never goes back, since some moment.
inline f64 steady_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<f64>(now.tv_sec) + 1e-9 * static_cast<f64>(now.tv_nsec);
}

}  // namespace WEFT_NAMESPACE
