#pragma once
// How a reduction, a scan or a scatter puts elements together.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// The first four are what sums over several chunks are combined by. logaddexp is of scans alone, argmax and
// argmin, which give places, are of reductions.
enum class Fold : u8 { sum, max, min, prod, logaddexp, argmax, argmin };
inline constexpr const char* fold_names[]{"sum", "max", "min", "prod", "logaddexp", "argmax", "argmin"};
static_assert(sizeof fold_names / sizeof fold_names[0] == static_cast<int>(Fold::argmin) + 1);

}  // namespace WEFT_NAMESPACE
