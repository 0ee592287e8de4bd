#pragma once
// Adamax (Kingma and Ba, 2015, section 7.1), as torch.optim.Adamax: g += weight_decay p;
// m = b1 m + (1 - b1) g; s = max(b2 s, |g| + eps); p -= lr / (1 - b1^t) m / s.

#include "weft/optim/adam.hpp"

namespace WEFT_NAMESPACE::optim {

struct Adamax {
  Schedule lr = 2e-3f;     // learning rate: a number, or a schedule of the update
  Betas betas{};           // decays of the mean of g and of the greatest |g|
  float eps = 1e-8f;       // added to |g|, against a division by zero
  float weight_decay = 0;  // of the parameter, added to its gradient

  static constexpr std::string_view name = "Adamax";
  WEFT_OPTIMIZER(Adamax)
  WEFT_REFUSED_BETAS(Adamax)
  static constexpr int moments = 2;
  static constexpr int numbers = detail::AdamNumbers::count;
  void fill(i64 step, f32* n) const { detail::fill_adam(n, lr(step), betas, eps, weight_decay); }
  static constexpr void update(Update& u) {
    using N = detail::AdamNumbers;
    const Value g = u.gradient + u.parameter * u.number[N::weight_decay];
    const Value m = u.moment[0] * u.number[N::beta1] + g * u.number[N::rest1];
    const Value size = ir::unary(Op::abs, g) + u.number[N::eps];
    const Value s = ir::binary(Op::max, u.moment[1] * u.number[N::beta2], size);
    u.moment[0] = m;
    u.moment[1] = s;
    u.parameter = u.parameter - m * (u.number[N::lr] / (1.0 - power(u.number[N::beta1], u.updates))) / s;
  }
};

}  // namespace WEFT_NAMESPACE::optim
