#pragma once
// Dropout: elements zeroed with probability p while training, nothing otherwise. The mask is a function of
// (seed, step, call, element), made again in the backward pass and never stored.

#include "weft/nn/param.hpp"
#include "weft/ops/random.hpp"

namespace weft::nn {

// What a module may ask of the trace it runs in; filled in by the tracer.
struct Mode {
  bool training = false;
};

struct Dropout {
  float p = 0.5f;
  Mode mode{};
  constexpr auto operator()(const auto& x) const {
    const auto e = to_expr(x);
    return dropout(e, mode.training ? p : 0.0f);
  }
};

}  // namespace weft::nn
