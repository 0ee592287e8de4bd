#pragma once
// Adagrad (Duchi et al., 2011), as torch.optim.Adagrad: g += weight_decay p; s += g^2;
// p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps), t counting updates from 1.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

struct Adagrad {
  Schedule lr = 1e-2f;                  // learning rate: a number, or a schedule of the update
  float lr_decay = 0;                   // the rate is lr / (1 + t lr_decay) at update t, from 0
  float weight_decay = 0;               // of the parameter, added to its gradient
  float initial_accumulator_value = 0;  // where the sum of g^2 starts
  float eps = 1e-10f;                   // added to the denominator, against a division by zero

  static constexpr std::string_view name = "Adagrad";
  WEFT_OPTIMIZER(Adagrad)
  static constexpr int moments = 1;
  static constexpr int numbers = 5;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = lr_decay;
    n[2] = weight_decay;
    n[3] = initial_accumulator_value;
    n[4] = eps;
  }
  static constexpr void update(Update& u) {
    const Value g = u.gradient + u.parameter * u.number[2];
    u.moment[0] = u.moment[0] + g * g;
    const Value rate = u.number[0] / ((u.updates - 1.0) * u.number[1] + 1.0);
    // the vector starts at zero, so what PyTorch starts from is added here
    u.parameter = u.parameter - g * rate / (square_root(u.moment[0] + u.number[3]) + u.number[4]);
  }
};

}  // namespace WEFT_NAMESPACE::optim
