#pragma once
// RAdam (Liu et al., 2020), as torch.optim.RAdam: Adam's m and v; with r = 2 / (1 - b2) - 1 and
// r_t = r - 2 t b2^t / (1 - b2^t), the step is Adam's times sqrt((r_t - 4) (r_t - 2) r / ((r - 4) (r - 2)
// r_t)) where r_t > 5 and lr m / (1 - b1^t) before. t counts the updates that
// were applied, from 1; what follows from it alone is computed in f64.

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
  static constexpr int numbers = 8;
  void fill(i64 step, f32* n) const {
    detail::fill_means(betas, lr(step), weight_decay, decoupled_weight_decay, n);
    n[7] = eps;
  }
  static constexpr void update(Update& u) {
    const Value t = ir::cast(u.updates, DType::f64), rate = ir::cast(u.number[6], DType::f64);
    const Value second_to_t = power(ir::cast(u.number[2], DType::f64), t);
    const Value first = 1.0 - power(ir::cast(u.number[0], DType::f64), t), second = 1.0 - second_to_t;
    const Value most = 2.0 / (1.0 - ir::cast(u.number[2], DType::f64)) - 1.0;
    const Value now = most - 2.0 * t * second_to_t / second;
    const Value adaptive = ir::binary(Op::lt, ir::constant_like(now, 5), now);
    const Value rectified =
        square_root((now - 4.0) * (now - 2.0) * most / ((most - 4.0) * (most - 2.0) * now)) *
        square_root(second);
    const Value plain = rate / first, none = ir::constant_like(plain, 0);
    const auto narrow = [&](Value x) { return ir::cast(x, u.parameter.dtype()); };

    const auto [g, m, v] = detail::new_means(u);
    u.moment[0] = m;
    u.moment[1] = v;
    u.parameter = u.parameter * u.number[5] -
                  m * narrow(ir::select(adaptive, plain * rectified, none)) / (square_root(v) + u.number[7]) -
                  m * narrow(ir::select(adaptive, none, plain));
  }
};

}  // namespace WEFT_NAMESPACE::optim
