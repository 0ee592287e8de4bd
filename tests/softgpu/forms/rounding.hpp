#pragma once
// Instructions that round otherwise than to the nearest.

#include <cfenv>

#include "softgpu/forms/table.hpp"

namespace softgpu {

// The form's instruction with the host's rounding mode changed around it. The operands come from memory and
// the results go there, so nothing is computed before the mode is set or after it is restored.
template <int Mode, Execute Inner>
void execute_in_mode(Warp& warp, const Op& op, u32 active) {
  std::fesetround(Mode);
  Inner(warp, op, active);
  std::fesetround(FE_TONEAREST);
}

}  // namespace softgpu
