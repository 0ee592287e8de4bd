#pragma once
// Stochastic gradient descent, as torch.optim.SGD: g += weight_decay p; b = momentum b + (1 - dampening) g (b
// = g at the first update); p -= lr b, or lr (g + momentum b) with nesterov.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

// With momentum 0 the momentum vector is the gradient itself; PlainSGD saves its memory.
struct SGD {
  Schedule lr = 1e-3f;     // learning rate: a number, or a schedule of the update
  float momentum = 0;      // share of the last step that is kept; 0: none
  float dampening = 0;     // with momentum: the gradient's share in the step is 1 - dampening
  float weight_decay = 0;  // of the parameter, added to its gradient
  bool nesterov = false;   // the step is g + momentum b; PyTorch wants dampening 0 then

  static constexpr std::string_view name = "SGD";
  WEFT_OPTIMIZER(SGD)
  static constexpr int moments = 1;
  static constexpr int numbers = 6;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = momentum;
    n[2] = momentum == 0 ? 1 : 1 - dampening;  // as PyTorch, which dampens what it adds to the momentum
    n[3] = weight_decay;
    n[4] = nesterov ? momentum : 1;
    n[5] = nesterov ? 1 : 0;
  }
  static constexpr void update(Update& u) {
    const Value g = u.gradient + u.parameter * u.number[3];
    const Value first = ir::binary(Op::eq, u.updates, ir::constant_like(u.updates, 1));
    const Value b = ir::select(first, g, u.moment[0] * u.number[1] + g * u.number[2]);
    u.moment[0] = b;
    u.parameter = u.parameter - (g * u.number[5] + b * u.number[4]) * u.number[0];
  }
};

// SGD without momentum, and without its memory.
struct PlainSGD {
  Schedule lr = 1e-3f;     // learning rate: a number, or a schedule of the update
  float weight_decay = 0;  // of the parameter, added to its gradient

  static constexpr std::string_view name = "PlainSGD";
  WEFT_OPTIMIZER(PlainSGD)
  static constexpr int moments = 0;
  static constexpr int numbers = 2;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = weight_decay;
  }
  static constexpr void update(Update& u) {
    u.parameter = u.parameter - (u.gradient + u.parameter * u.number[1]) * u.number[0];
  }
};

}  // namespace WEFT_NAMESPACE::optim
