#pragma once
// Vectors of one value a channel beside tensors (N, C, ...), whose channels are axis 1.

#include "weft/ops/shape/movement.hpp"

namespace WEFT_NAMESPACE::nn::module_detail {

// A vector of C as (C, 1, ...), to stand beside (N, C, ...).
template <i64 C, int... After>
constexpr auto along_channels(const auto& v, std::integer_sequence<int, After...>) {
  return reshape<C, (After * 0 + 1)...>(v);
}

}  // namespace WEFT_NAMESPACE::nn::module_detail
