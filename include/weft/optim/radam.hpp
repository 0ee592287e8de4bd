#pragma once
// RAdam (Liu et al., 2020), as torch.optim.RAdam: Adam's m and v; with r = 2 / (1 - b2) - 1 and
// r_t = r - 2 t b2^t / (1 - b2^t), the step is Adam's times sqrt((r_t - 4) (r_t - 2) r / ((r - 4) (r - 2)
// r_t)) where r_t > 5 and lr m / (1 - b1^t) before. t counts calls of the update, skipped ones included.

#include "weft/optim/adam.hpp"

namespace WEFT_NAMESPACE::optim {

struct RAdam {
  Schedule lr = 1e-3f;                  // learning rate: a number, or a schedule of the update
  Betas betas{};                        // decays of the two means, of g and of g^2
  float eps = 1e-8f;                    // added to the denominator, against a division by zero
  float weight_decay = 0;               // of the parameter, added to its gradient
  bool decoupled_weight_decay = false;  // p is scaled by 1 - lr weight_decay instead

  static constexpr std::string_view name = "RAdam";
  WEFT_OPTIMIZER(RAdam)
  WEFT_REFUSED_BETAS(RAdam)
  static constexpr int moments = 2;
  static constexpr int numbers = 9;
  void fill(i64 step, f32* n) const {
    const f64 b1 = static_cast<f64>(betas.first), b2 = static_cast<f64>(betas.second);
    const f64 t = static_cast<f64>(step + 1), rate = static_cast<f64>(lr(step));
    const f64 first = 1 - std::pow(b1, t), second = 1 - std::pow(b2, t);
    const f64 most = 2 / (1 - b2) - 1, now = most - 2 * t * std::pow(b2, t) / second;
    const bool adaptive = now > 5;
    const f64 rectified =
        adaptive ? std::sqrt((now - 4) * (now - 2) * most / ((most - 4) * (most - 2) * now)) : 0;
    n[0] = betas.first;
    n[1] = static_cast<f32>(1 - b1);
    n[2] = betas.second;
    n[3] = static_cast<f32>(1 - b2);
    n[4] = decoupled_weight_decay ? 0 : weight_decay;
    n[5] = static_cast<f32>(decoupled_weight_decay ? 1 - rate * static_cast<f64>(weight_decay) : 1);
    n[6] = static_cast<f32>(rate / first * std::sqrt(second) * rectified);
    n[7] = static_cast<f32>(adaptive ? 0 : rate / first);
    n[8] = eps;
  }
  static constexpr void update(Update& u) {
    const Value g = u.gradient + u.parameter * u.number[4];
    const Value m = u.moment[0] * u.number[0] + g * u.number[1];
    const Value v = u.moment[1] * u.number[2] + g * g * u.number[3];
    u.moment[0] = m;
    u.moment[1] = v;
    u.parameter =
        u.parameter * u.number[5] - m * u.number[6] / (square_root(v) + u.number[8]) - m * u.number[7];
  }
};

}  // namespace WEFT_NAMESPACE::optim
