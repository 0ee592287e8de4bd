#pragma once
// Adadelta (Zeiler, 2012), as torch.optim.Adadelta: g += weight_decay p; s = rho s + (1 - rho) g^2;
// d = sqrt(a + eps) / sqrt(s + eps) g; a = rho a + (1 - rho) d^2; p -= lr d.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

struct Adadelta {
  Schedule lr = 1.0f;      // learning rate: a number, or a schedule of the update
  float rho = 0.9f;        // decay of the two means, of g^2 and of steps^2
  float eps = 1e-6f;       // added to the denominator, against a division by zero
  float weight_decay = 0;  // of the parameter, added to its gradient

  static constexpr std::string_view name = "Adadelta";
  WEFT_OPTIMIZER(Adadelta)
  static constexpr int moments = 2;
  static constexpr int numbers = 5;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = rho;
    n[2] = static_cast<f32>(1.0 - static_cast<f64>(rho));
    n[3] = eps;
    n[4] = weight_decay;
  }
  static constexpr void update(Update& u) {
    const Value g = u.gradient + u.parameter * u.number[4];
    const Value s = u.moment[0] * u.number[1] + g * g * u.number[2];
    const Value d = square_root(u.moment[1] + u.number[3]) / square_root(s + u.number[3]) * g;
    u.moment[0] = s;
    u.moment[1] = u.moment[1] * u.number[1] + d * d * u.number[2];
    u.parameter = u.parameter - d * u.number[0];
  }
};

}  // namespace WEFT_NAMESPACE::optim
