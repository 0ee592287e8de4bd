#pragma once
// Numbers that no optimiser can work with, refused as torch.optim refuses them. Law: an optimiser is looked
// at by the names of its members, so that one of a program's own is, too.

#include <cstdio>
#include <string>

#include "weft/core/error.hpp"
#include "weft/optim/schedule.hpp"

namespace WEFT_NAMESPACE::optim {

namespace detail {

[[noreturn]] inline void refuse_number(const char* name, double value, const char* range) {
  char text[64];
  std::snprintf(text, sizeof text, "%g", value);
  throw Error("optim/bad-argument",
              std::string("the optimiser's ") + name + " is " + text + ", and it must be " + range);
}
inline void at_least_zero(const char* name, double value) {
  if (!(value >= 0)) refuse_number(name, value, "0 or more");
}
inline void below_one(const char* name, double value) {
  if (!(value >= 0 && value < 1)) refuse_number(name, value, "in [0, 1)");
}
inline void up_to_one(const char* name, double value) {
  if (!(value >= 0 && value <= 1)) refuse_number(name, value, "in [0, 1]");
}

}  // namespace detail

// Throws "optim/bad-argument" where a number of `o` lies outside what torch.optim takes.
template <class O>
void check_numbers(const O& o) {
  using detail::at_least_zero;
  if constexpr (requires { o.lr(0); }) at_least_zero("lr", static_cast<double>(o.lr(0)));
  if constexpr (requires { o.betas.second; }) {
    detail::below_one("betas.first", static_cast<double>(o.betas.first));
    detail::below_one("betas.second", static_cast<double>(o.betas.second));
  }
  if constexpr (requires { o.eps + 0.0f; }) at_least_zero("eps", static_cast<double>(o.eps));
  if constexpr (requires { o.eps.second; }) {
    at_least_zero("eps.first", static_cast<double>(o.eps.first));
    at_least_zero("eps.second", static_cast<double>(o.eps.second));
  }
  if constexpr (requires { o.weight_decay; })
    at_least_zero("weight_decay", static_cast<double>(o.weight_decay));
  if constexpr (requires { o.momentum; }) at_least_zero("momentum", static_cast<double>(o.momentum));
  if constexpr (requires { o.momentum_decay; })
    at_least_zero("momentum_decay", static_cast<double>(o.momentum_decay));
  if constexpr (requires { o.alpha; }) at_least_zero("alpha", static_cast<double>(o.alpha));
  if constexpr (requires { o.rho; }) detail::up_to_one("rho", static_cast<double>(o.rho));
  if constexpr (requires { o.lr_decay; }) at_least_zero("lr_decay", static_cast<double>(o.lr_decay));
  if constexpr (requires { o.initial_accumulator_value; })
    at_least_zero("initial_accumulator_value", static_cast<double>(o.initial_accumulator_value));
  if constexpr (requires { o.etas; }) {
    const double less = static_cast<double>(o.etas.first), more = static_cast<double>(o.etas.second);
    if (!(less > 0 && less < 1)) detail::refuse_number("etas.first", less, "in (0, 1)");
    if (!(more > 1)) detail::refuse_number("etas.second", more, "above 1");
  }
  if constexpr (requires { o.d; }) {
    if (!(o.d >= 1)) detail::refuse_number("d", static_cast<double>(o.d), "1 or more");
  }
  if constexpr (requires { o.beta2_decay; }) {
    if (!(o.beta2_decay <= 0))
      detail::refuse_number("beta2_decay", static_cast<double>(o.beta2_decay), "0 or less");
  }
  if constexpr (requires { o.dampening; }) {
    if (o.nesterov && (o.momentum <= 0 || o.dampening != 0))
      throw Error("optim/bad-argument", "nesterov needs a momentum above 0 and no dampening");
  }
  if constexpr (requires { o.rule.decay; }) detail::up_to_one("decay", static_cast<double>(o.rule.decay));
  if constexpr (requires { o.rule.every; }) {
    if (o.rule.every < 1) detail::refuse_number("every", static_cast<double>(o.rule.every), "1 or more");
    if (o.rule.start < 1) detail::refuse_number("start", static_cast<double>(o.rule.start), "1 or more");
  }
  if constexpr (requires { o.others.betas; }) check_numbers(o.others);
}

}  // namespace WEFT_NAMESPACE::optim
