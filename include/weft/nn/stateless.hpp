#pragma once
// What a layer without parameters begins with.

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE::nn::module_detail {

// The first member of a layer that has no other. A traced value converts into it as into a parameter, which
// is refused in one sentence: so nn::ReLU(x), which makes a layer of a value, is refused as nn::Linear<8,
// 4>(x) is.
struct Stateless {
  using initializer = void;
};

}  // namespace WEFT_NAMESPACE::nn::module_detail
