#pragma once
// Lion (Chen et al., 2023, algorithm 2): p -= lr (sign(b1 m + (1 - b1) g) + weight_decay p);
// m = b2 m + (1 - b2) g.

#include "weft/optim/adam.hpp"

namespace WEFT_NAMESPACE::optim {

struct Lion {
  Schedule lr = 1e-4f;       // learning rate: a number, or a schedule of the update
  Betas betas{0.9f, 0.99f};  // shares of the mean of g: in the step, in the mean's next value
  float weight_decay = 0;    // p is first scaled by 1 - lr weight_decay

  static constexpr std::string_view name = "Lion";
  WEFT_OPTIMIZER(Lion)
  WEFT_REFUSED_BETAS(Lion)
  static constexpr int moments = 1;
  static constexpr int numbers = 6;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = betas.first;
    n[2] = 1 - betas.first;
    n[3] = betas.second;
    n[4] = 1 - betas.second;
    n[5] = weight_decay;
  }
  static constexpr void update(Update& u) {
    const Value direction = ir::unary(Op::sign, u.moment[0] * u.number[1] + u.gradient * u.number[2]);
    u.moment[0] = u.moment[0] * u.number[3] + u.gradient * u.number[4];
    u.parameter = u.parameter - (direction + u.parameter * u.number[5]) * u.number[0];
  }
};

}  // namespace WEFT_NAMESPACE::optim
