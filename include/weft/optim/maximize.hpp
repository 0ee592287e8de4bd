#pragma once
// maximize(optimiser): the same update with the gradient's sign turned, as maximize=True of torch.optim.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

template <class O>
constexpr auto maximize(const O& optimizer);

template <class O>
struct Maximize : O {
  using wrapped = O;
  // The same around f(what it is around).
  template <class F>
  constexpr auto around(F f) const {
    return maximize(f(static_cast<const O&>(*this)));
  }
  static constexpr std::string_view wrapper = "maximize";
  static constexpr void update(Update& u) requires requires { O::update(u); }
  {
    u.gradient = -u.gradient;
    O::update(u);
  }
  static constexpr void update_matrix(Update& u) requires requires { O::update_matrix(u); }
  {
    u.gradient = -u.gradient;
    O::update_matrix(u);
  }
  static constexpr void update_tensor(Update& u) requires requires { O::update_tensor(u); }
  {
    u.gradient = -u.gradient;
    O::update_tensor(u);
  }
};

// maximize(SGD{}): the loss is made large (maximize=True). Of groups, in each of them.
template <class O>
constexpr auto maximize(const O& optimizer) {
  if constexpr (requires { O::group_count; })
    return optimizer.around([](const auto& inner) { return maximize(inner); });
  else
    return Maximize<O>{optimizer};
}

}  // namespace WEFT_NAMESPACE::optim
