#pragma once
// RMSprop (Hinton, 2012), as torch.optim.RMSprop: g += weight_decay p; s = alpha s + (1 - alpha) g^2;
// b = momentum b + g / (sqrt(s) + eps); p -= lr b. Centred: s less the square of the gradient's running mean.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

namespace detail {

struct RmspropNumbers {
  enum : int { lr, alpha, rest, eps, weight_decay, momentum, count };
};

template <class O>
void fill_rmsprop(const O& o, i64 step, f32* n) {
  using N = RmspropNumbers;
  n[N::lr] = o.lr(step);
  n[N::alpha] = o.alpha;
  n[N::rest] = 1 - o.alpha;
  n[N::eps] = o.eps;
  n[N::weight_decay] = o.weight_decay;
  n[N::momentum] = o.momentum;
}

constexpr void rmsprop_step(Update& u, bool centered) {
  using N = RmspropNumbers;
  const Value g = u.gradient + u.parameter * u.number[N::weight_decay];
  const Value s = u.moment[0] * u.number[N::alpha] + g * g * u.number[N::rest];
  Value spread = s;
  if (centered) {
    u.moment[2] = u.moment[2] * u.number[N::alpha] + g * u.number[N::rest];
    spread = s - u.moment[2] * u.moment[2];
  }
  const Value b = u.moment[1] * u.number[N::momentum] + g / (square_root(spread) + u.number[N::eps]);
  u.moment[0] = s;
  u.moment[1] = b;
  u.parameter = u.parameter - b * u.number[N::lr];
}

}  // namespace detail

WEFT_REFUSAL(CenteredIsType,
             "RMSprop with centered=True has a name of its own: write optim::RMSpropCentered{.lr = 1e-2f}");

struct RMSprop {
  Schedule lr = 1e-2f;     // learning rate: a number, or a schedule of the update
  float alpha = 0.99f;     // decay of the mean of g^2
  float eps = 1e-8f;       // added to the denominator, against a division by zero
  float weight_decay = 0;  // of the parameter, added to its gradient
  float momentum = 0;      // share of the last step that is kept; 0: none

  static constexpr std::string_view name = "RMSprop";
  WEFT_OPTIMIZER(RMSprop)
  WEFT_REFUSED_OPTION(centered, CenteredIsType, RMSprop)
  static constexpr int moments = 2;
  static constexpr int numbers = detail::RmspropNumbers::count;
  void fill(i64 step, f32* n) const { detail::fill_rmsprop(*this, step, n); }
  static constexpr void update(Update& u) { detail::rmsprop_step(u, false); }
};

// centered=True: one state vector more.
struct RMSpropCentered {
  Schedule lr = 1e-2f;     // learning rate: a number, or a schedule of the update
  float alpha = 0.99f;     // decay of the mean of g^2
  float eps = 1e-8f;       // added to the denominator, against a division by zero
  float weight_decay = 0;  // of the parameter, added to its gradient
  float momentum = 0;      // share of the last step that is kept; 0: none

  static constexpr std::string_view name = "RMSpropCentered";
  WEFT_OPTIMIZER(RMSpropCentered)
  static constexpr int moments = 3;
  static constexpr int numbers = detail::RmspropNumbers::count;
  void fill(i64 step, f32* n) const { detail::fill_rmsprop(*this, step, n); }
  static constexpr void update(Update& u) { detail::rmsprop_step(u, true); }
};

}  // namespace WEFT_NAMESPACE::optim
