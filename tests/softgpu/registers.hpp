#pragma once
// Where a warp's registers lie. A kernel names thousands; those that are not alive at the same time share a
// place.

#include <utility>
#include <vector>

#include "softgpu/forms/table.hpp"
#include "softgpu/kernel.hpp"

namespace softgpu {

// Replaces the numbers of registers in `code` by their places, in bytes, and returns how many bytes a warp
// needs. Constants and special registers keep places of their own.
u32 place_registers(std::vector<Op>& code, const std::vector<Width>& widths,
                    std::vector<Kernel::Constant>& constants, std::vector<std::pair<Row, Special>>& specials);

}  // namespace softgpu
