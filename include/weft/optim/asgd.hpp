#pragma once
// ASGD, averaged stochastic gradient descent (Polyak and Juditsky, 1992), as torch.optim.ASGD: g +=
// weight_decay p; p = (1 - lambd r) p - r g with r = lr / (1 + lambd lr (t - 1))^alpha; a += (p - a) / max(1,
// t - 1 - t0), t counting updates from 1. trainer.average() gives the model of the averages a, which are p
// itself up to t0.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

// PyTorch takes a schedule's rate one update later.
struct ASGD {
  Schedule lr = 1e-2f;     // learning rate: a number, or a schedule of the update
  float lambd = 1e-4f;     // decay of the parameter, and of the rate
  float alpha = 0.75f;     // exponent of the decay of the rate
  float t0 = 1e6f;         // update from which parameters are averaged
  float weight_decay = 0;  // of the parameter, added to its gradient

  struct FromTheFirst {
    static i64 first() { return 1; }
  };
  static constexpr FromTheFirst rule{};

  static constexpr std::string_view name = "ASGD";
  WEFT_OPTIMIZER(ASGD)
  static constexpr int moments = 1;
  static constexpr int average = 0;
  static constexpr int numbers = 5;
  void fill(i64 step, f32* n) const {
    n[0] = lr(step);
    n[1] = lambd;
    n[2] = alpha;
    n[3] = t0;
    n[4] = weight_decay;
  }
  static constexpr void update(Update& u) {
    const Value lr = u.number[0], lambd = u.number[1];
    const Value before = u.updates - 1.0;
    const Value rate = lr / power(lambd * lr * before + 1.0, u.number[2]);
    const Value g = u.gradient + u.parameter * u.number[4];
    const Value p = u.parameter * (1.0 - lambd * rate) - g * rate;
    const Value one = ir::constant_like(before, 1);
    const Value count = ir::binary(Op::max, before - u.number[3], one);
    const Value old = u.moment[0];
    u.parameter = p;
    u.moment[0] = ir::select(ir::binary(Op::eq, count, one), p, old + (p - old) / count);
  }
};

}  // namespace WEFT_NAMESPACE::optim
