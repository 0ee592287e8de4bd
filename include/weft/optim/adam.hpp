#pragma once
// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), as torch.optim has them:
// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; p -= lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps).
// Adam adds weight_decay p to g; AdamW first scales p by 1 - lr weight_decay. amsgrad(...) of either divides
// by the greatest v so far.

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/core/diagnose.hpp"
#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

WEFT_REFUSAL(
    BetasAreTwo,
    "betas are two numbers in braces: write .betas = {0.9f, 0.999f}, and name what follows the rate, "
    "{.lr = 1e-3f, .weight_decay = 0.01f}");

struct Betas {
  float first = 0.9f;     // decay of the mean of g
  float second = 0.999f;  // decay of the mean of g^2

  constexpr Betas() = default;
  constexpr Betas(float mean, float square) : first(mean), second(square) {}
  // As libtorch has them: std::make_tuple(0.9, 0.999), std::pair.
  template <class A, class B>
  constexpr Betas(const std::tuple<A, B>& b)
      : first(static_cast<float>(std::get<0>(b))), second(static_cast<float>(std::get<1>(b))) {}
  template <class A, class B>
  constexpr Betas(const std::pair<A, B>& b)
      : first(static_cast<float>(b.first)), second(static_cast<float>(b.second)) {}
  // Refused; (0.9f, 0.999f) is one number, too.
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr Betas(A) { static_assert(sizeof(BetasAreTwo<sizeof(A) == 0, A>) > 0); }
};

#define WEFT_REFUSED_BETAS(Self)                \
  WEFT_REFUSED_OPTION(beta1, BetasAreTwo, Self) \
  WEFT_REFUSED_OPTION(beta2, BetasAreTwo, Self)

namespace detail {

struct AdamNumbers {
  enum : int { lr, beta1, beta2, rest1, rest2, eps, weight_decay, count };
};

inline void fill_adam(f32* n, f32 lr, Betas betas, f32 eps, f32 weight_decay) {
  using N = AdamNumbers;
  n[N::lr] = lr;
  n[N::beta1] = betas.first;
  n[N::beta2] = betas.second;
  n[N::rest1] = static_cast<f32>(1.0 - static_cast<f64>(betas.first));
  n[N::rest2] = static_cast<f32>(1.0 - static_cast<f64>(betas.second));
  n[N::eps] = eps;
  n[N::weight_decay] = weight_decay;
}

constexpr void adam_step(Update& u, bool decoupled, bool greatest = false) {
  using N = AdamNumbers;
  Value p = u.parameter, g = u.gradient;
  if (decoupled)
    p = p * (1.0 - u.number[N::lr] * u.number[N::weight_decay]);
  else
    g = g + p * u.number[N::weight_decay];
  const Value m = u.moment[0] * u.number[N::beta1] + g * u.number[N::rest1];
  const Value v = u.moment[1] * u.number[N::beta2] + g * g * u.number[N::rest2];
  const Value correction1 = 1.0 - power(u.number[N::beta1], u.updates);
  const Value correction2 = square_root(1.0 - power(u.number[N::beta2], u.updates));
  u.moment[0] = m;
  u.moment[1] = v;
  if (greatest) u.moment[2] = ir::binary(Op::max, u.moment[2], v);
  const Value spread = greatest ? u.moment[2] : v;
  u.parameter = p - m * (u.number[N::lr] / correction1) /
                        (square_root(spread) * (1.0 / correction2) + u.number[N::eps]);
}

// What NAdam and RAdam share: the first seven numbers, and the means that they make.
inline void fill_means(const Betas& betas, f32 rate, float weight_decay, bool decoupled, f32* n) {
  n[0] = betas.first;
  n[1] = static_cast<f32>(1 - static_cast<f64>(betas.first));
  n[2] = betas.second;
  n[3] = static_cast<f32>(1 - static_cast<f64>(betas.second));
  n[4] = decoupled ? 0 : weight_decay;
  n[5] = static_cast<f32>(decoupled ? 1 - static_cast<f64>(rate) * static_cast<f64>(weight_decay) : 1);
  n[6] = rate;
}
struct Means {
  Value g, m, v;  // the gradient with the decay, its mean and that of its square
};
constexpr Means new_means(const Update& u) {
  const Value g = u.gradient + u.parameter * u.number[4];
  return {g, u.moment[0] * u.number[0] + g * u.number[1], u.moment[1] * u.number[2] + g * g * u.number[3]};
}

}  // namespace detail

struct Adam {
  Schedule lr = 1e-3f;     // learning rate: a number, or a schedule of the update
  Betas betas{};           // decays of the two means, of g and of g^2
  float eps = 1e-8f;       // added to the denominator, against a division by zero
  float weight_decay = 0;  // of the parameter, added to its gradient

  static constexpr std::string_view name = "Adam";
  WEFT_OPTIMIZER(Adam)
  WEFT_REFUSED_OPTION(amsgrad, WrapperIsFunction, Adam)
  WEFT_REFUSED_BETAS(Adam)
  static constexpr int moments = 2;
  static constexpr int numbers = detail::AdamNumbers::count;
  static constexpr bool decoupled = false;
  void fill(i64 step, f32* n) const { detail::fill_adam(n, lr(step), betas, eps, weight_decay); }
  static constexpr void update(Update& u) { detail::adam_step(u, decoupled); }
};

struct AdamW {
  Schedule lr = 1e-3f;         // learning rate: a number, or a schedule of the update
  Betas betas{};               // decays of the two means, of g and of g^2
  float eps = 1e-8f;           // added to the denominator, against a division by zero
  float weight_decay = 1e-2f;  // p is first scaled by 1 - lr weight_decay

  static constexpr std::string_view name = "AdamW";
  WEFT_OPTIMIZER(AdamW)
  WEFT_REFUSED_OPTION(amsgrad, WrapperIsFunction, AdamW)
  WEFT_REFUSED_BETAS(AdamW)
  static constexpr int moments = 2;
  static constexpr int numbers = detail::AdamNumbers::count;
  static constexpr bool decoupled = true;
  void fill(i64 step, f32* n) const { detail::fill_adam(n, lr(step), betas, eps, weight_decay); }
  static constexpr void update(Update& u) { detail::adam_step(u, decoupled); }
};

// amsgrad=True: one state vector more.
template <class O>
struct AMSGrad : O {
  using wrapped = O;
  static constexpr std::string_view wrapper = "amsgrad";
  static constexpr int moments = 3;
  static constexpr void update(Update& u) { detail::adam_step(u, O::decoupled, true); }
};
WEFT_REFUSAL(AmsgradIsOfAdam, "amsgrad is of Adam and AdamW: write amsgrad(AdamW{.lr = 1e-3f})");
// amsgrad(AdamW{}). Of what wraps one, maximize(AdamW{}), the same around amsgrad(AdamW{}).
template <class O>
constexpr auto amsgrad(const O& optimizer) {
  if constexpr (std::is_same_v<O, Adam> || std::is_same_v<O, AdamW>) {
    return AMSGrad<O>{optimizer};
  } else if constexpr (requires { optimizer.around([](const auto& o) { return o; }); }) {
    return optimizer.around([](const auto& inner) { return amsgrad(inner); });
  } else {
    static_assert(sizeof(AmsgradIsOfAdam<sizeof(O) == 0, O>) > 0);
    return optimizer;
  }
}

}  // namespace WEFT_NAMESPACE::optim
