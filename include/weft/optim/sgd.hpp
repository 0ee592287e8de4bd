#pragma once
// Stochastic gradient descent, as torch.optim.SGD: g += weight_decay p; b = momentum b + (1 - dampening) g (b = g
// at the first update); p -= lr b.

#include "weft/optim/optimizer.hpp"

namespace weft::optim {

namespace detail {
struct SgdNumbers {
  enum : int { lr, momentum, damped, weight_decay, count };
};
}  // namespace detail

// With momentum 0 the momentum vector is the gradient itself; PlainSGD saves its memory.
struct SGD {
  Schedule lr = 1e-3f;
  float momentum = 0;
  float dampening = 0;
  float weight_decay = 0;

  static constexpr int moments = 1;
  static constexpr int numbers = detail::SgdNumbers::count;
  void fill(i64 step, f32* n) const {
    using N = detail::SgdNumbers;
    n[N::lr] = lr(step);
    n[N::momentum] = momentum;
    n[N::damped] = 1 - dampening;
    n[N::weight_decay] = weight_decay;
  }
  static constexpr void update(Update& u) { step(u, false); }

  static constexpr void step(Update& u, bool nesterov) {
    using N = detail::SgdNumbers;
    const Value g = u.gradient + u.parameter * u.number[N::weight_decay];
    const Value first = ir::binary(Op::eq, u.updates, ir::constant_like(u.updates, 1));
    const Value b = ir::select(first, g, u.moment[0] * u.number[N::momentum] + g * u.number[N::damped]);
    u.moment[0] = b;
    u.parameter = u.parameter - (nesterov ? g + b * u.number[N::momentum] : b) * u.number[N::lr];
  }
};

// SGD with nesterov=True.
struct SGDNesterov : SGD {
  static constexpr void update(Update& u) { step(u, true); }
};

// SGD without momentum, and without its memory.
struct PlainSGD {
  Schedule lr = 1e-3f;
  float weight_decay = 0;

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

}  // namespace weft::optim
