#pragma once
// The loss scale of precision::f16, after torch.amp.GradScaler: halved by an update that is skipped, doubled
// by so many in a row that are not. Law: it stays a power of two within bounds, so that neither it nor its
// inverse leaves the range of f32, and training continues after any number of bad batches.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::train {

struct LossScale {
  static constexpr f32 first = 65536;
  // Gradients up to 4e9 still fit f16 at the least; at the most, those of 4e-15 still count.
  static constexpr f32 least = 1.0f / 65536, most = 16777216;
  static constexpr i32 patience = 2000;
  // Below one: a run of bad batches is soon made good.
  static constexpr i32 short_patience = 20;
};

}  // namespace WEFT_NAMESPACE::train
