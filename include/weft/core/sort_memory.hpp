#pragma once
// What the memory plan and the kernels that sort in it agree upon.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// Lines longer than this are sorted through memory: in pieces of so many elements that are merged, or by
// digits.
inline constexpr i64 sort_tile_size = 2048;

// Memory that a radix sort of n items takes beside them: a count of 256 digits for each few thousand.
constexpr i64 radix_sort_bytes(i64 n) { return n / 2 + (i64{64} << 10); }

}  // namespace WEFT_NAMESPACE
