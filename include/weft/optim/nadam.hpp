#pragma once
// NAdam (Dozat, 2016), as torch.optim.NAdam: Adam's m and v, mu_t = b1 (1 - 0.96^(t momentum_decay) / 2);
// p -= lr ((1 - mu_t) / (1 - mu_1 ... mu_t) g + mu_t+1 / (1 - mu_1 ... mu_t+1) m) / (sqrt(v / (1 - b2^t)) +
// eps). t counts the updates that were applied, from 1; what follows from it alone is computed in f64.
//
// With r = 0.96^momentum_decay and log(1 - x) as its series,
//   mu_1 ... mu_t = b1^t exp(-sum over k >= 1 of 2^-k / k r^k (1 - r^kt) / (1 - r^k)),
// whose terms more than halve: no product of all steps is kept.

#include "weft/optim/adam.hpp"

namespace WEFT_NAMESPACE::optim {

namespace detail {

// mu_1 ... mu_t; log_r = momentum_decay log 0.96. All of f64, without axes.
constexpr Value momentum_product(Value b1, Value log_r, Value t) {
  ir::Builder& b = *t.builder;
  const Value counted{&b, b.leaf(Op::iota, DType::i32, Shape<32>::value, 0)};
  const Value k = ir::cast(counted, DType::f64) + 1.0;
  const auto rest = [](Value x) { return ir::unary(Op::expm1, x); };
  const Value of_steps = ir::unary(Op::exp, k * log_r) * rest(k * log_r * t) / rest(k * log_r);
  const Value constant_mu = ir::binary(Op::eq, log_r, ir::constant_like(log_r, 0));
  const Value term = power(ir::constant_like(k, 0.5), k) / k * ir::select(constant_mu, t, of_steps);
  return power(b1, t) * ir::unary(Op::exp, -ir::reduce(Op::reduce_sum, term, ir::all_axes(1)));
}

}  // namespace detail

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
  static constexpr int numbers = 9;
  void fill(i64 step, f32* n) const {
    detail::fill_means(betas, lr(step), weight_decay, decoupled_weight_decay, n);
    n[7] = static_cast<f32>(static_cast<f64>(momentum_decay) * std::log(0.96));
    n[8] = eps;
  }
  static constexpr void update(Update& u) {
    const Value t = ir::cast(u.updates, DType::f64), rate = ir::cast(u.number[6], DType::f64);
    const Value b1 = ir::cast(u.number[0], DType::f64), log_r = ir::cast(u.number[7], DType::f64);
    const auto mu = [&](Value step) { return b1 * (1.0 - 0.5 * ir::unary(Op::exp, step * log_r)); };
    const Value now = mu(t), next = mu(t + 1.0), product = detail::momentum_product(b1, log_r, t);
    const Value of_gradient = rate * (1.0 - now) / (1.0 - product);
    const Value of_mean = rate * next / (1.0 - product * next);
    const Value correction = 1.0 / (1.0 - power(ir::cast(u.number[2], DType::f64), t));
    const auto narrow = [&](Value x) { return ir::cast(x, u.parameter.dtype()); };

    const auto [g, m, v] = detail::new_means(u);
    const Value size = square_root(v * narrow(correction)) + u.number[8];
    u.moment[0] = m;
    u.moment[1] = v;
    u.parameter = u.parameter * u.number[5] - (g * narrow(of_gradient) + m * narrow(of_mean)) / size;
  }
};

}  // namespace WEFT_NAMESPACE::optim
