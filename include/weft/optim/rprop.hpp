#pragma once
// Rprop, resilient propagation (Riedmiller and Braun, 1993), as torch.optim.Rprop: each element has a step of
// its own, s *= etas.second where its gradient g kept its sign, s *= etas.first where it turned, within
// step_sizes; p -= s sign(g), but where it turned p stays and g counts as 0 next time. Made for whole-batch
// gradients.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

// lr is every element's first step; later it is not read, so a schedule or set_lr changes nothing.
struct Rprop {
  struct Etas {
    float first = 0.5f;
    float second = 1.2f;
  };
  struct StepSizes {
    float least = 1e-6f;
    float most = 50;
  };
  Schedule lr = 1e-2f;     // each element's first step
  Etas etas{};             // factors of a step after a change of sign, and after none
  StepSizes step_sizes{};  // least and greatest step

  static constexpr std::string_view name = "Rprop";
  WEFT_OPTIMIZER(Rprop)
  static constexpr int moments = 2;  // the gradient before, the step
  static constexpr int numbers = 5;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = etas.first;
    n[2] = etas.second;
    n[3] = step_sizes.least;
    n[4] = step_sizes.most;
  }
  static constexpr void update(Update& u) {
    const Value product = u.gradient * u.moment[0], zero = ir::constant_like(product, 0);
    const Value turned = ir::binary(Op::lt, product, zero), kept = ir::binary(Op::lt, zero, product);
    const Value factor =
        ir::select(turned, u.number[1], ir::select(kept, u.number[2], ir::constant_like(product, 1)));
    const Value first = ir::binary(Op::eq, u.updates, ir::constant_like(u.updates, 1));
    const Value step = ir::select(first, u.number[0], u.moment[1]) * factor;
    const Value g = ir::select(turned, zero, u.gradient);
    u.moment[0] = g;
    u.moment[1] = ir::binary(Op::min, ir::binary(Op::max, step, u.number[3]), u.number[4]);
    u.parameter = u.parameter - ir::unary(Op::sign, g) * u.moment[1];
  }
};

}  // namespace WEFT_NAMESPACE::optim
