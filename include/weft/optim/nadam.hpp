#pragma once
// NAdam (Dozat, 2016), as torch.optim.NAdam: Adam's m and v, mu_t = b1 (1 - 0.96^(t momentum_decay) / 2);
// p -= lr ((1 - mu_t) / (1 - mu_1 ... mu_t) g + mu_t+1 / (1 - mu_1 ... mu_t+1) m) / (sqrt(v / (1 - b2^t)) +
// eps). t counts calls of the update, skipped ones included.

#include "weft/optim/adam.hpp"

namespace WEFT_NAMESPACE::optim {

struct NAdam {
  Schedule lr = 2e-3f;                  // learning rate: a number, or a schedule of the update
  Betas betas{};                        // decays of the two means, of g and of g^2
  float eps = 1e-8f;                    // added to the denominator, against a division by zero
  float weight_decay = 0;               // of the parameter, added to its gradient
  float momentum_decay = 4e-3f;         // how fast the momentum of the step grows to its limit
  bool decoupled_weight_decay = false;  // p is scaled by 1 - lr weight_decay instead

  static constexpr std::string_view name = "NAdam";
  WEFT_OPTIMIZER(NAdam)
  WEFT_REFUSED_BETAS(NAdam)
  static constexpr int moments = 2;
  static constexpr int numbers = 10;
  void fill(i64 step, f32* n) const {
    const f64 b1 = static_cast<f64>(betas.first), b2 = static_cast<f64>(betas.second);
    const f64 rate = static_cast<f64>(lr(step));
    f64 product = 1;
    // the product halves every few steps: what is left after many is nothing beside 1
    for (i64 t = 1; t <= step + 1 && product > 1e-30; ++t) product *= mu(t);
    const f64 now = mu(step + 1), next = mu(step + 2);
    n[0] = betas.first;
    n[1] = static_cast<f32>(1 - b1);
    n[2] = betas.second;
    n[3] = static_cast<f32>(1 - b2);
    n[4] = decoupled_weight_decay ? 0 : weight_decay;
    n[5] = static_cast<f32>(decoupled_weight_decay ? 1 - rate * static_cast<f64>(weight_decay) : 1);
    n[6] = static_cast<f32>(rate * (1 - now) / (1 - product));
    n[7] = static_cast<f32>(rate * next / (1 - product * next));
    n[8] = static_cast<f32>(1 / (1 - std::pow(b2, static_cast<f64>(step + 1))));
    n[9] = eps;
  }
  static constexpr void update(Update& u) {
    const Value g = u.gradient + u.parameter * u.number[4];
    const Value m = u.moment[0] * u.number[0] + g * u.number[1];
    const Value v = u.moment[1] * u.number[2] + g * g * u.number[3];
    const Value size = square_root(v * u.number[8]) + u.number[9];
    u.moment[0] = m;
    u.moment[1] = v;
    u.parameter = u.parameter * u.number[5] - (g * u.number[6] + m * u.number[7]) / size;
  }

 private:
  f64 mu(i64 t) const {
    const f64 power = std::pow(0.96, static_cast<f64>(t) * static_cast<f64>(momentum_decay));
    return static_cast<f64>(betas.first) * (1 - 0.5 * power);
  }
};

}  // namespace WEFT_NAMESPACE::optim
