#pragma once
// Optimisers in the letters that others have for them, which make_trainer refuses, and libtorch's options.

#include "weft/core/diagnose.hpp"
#include "weft/core/option.hpp"
#include "weft/optim/adagrad.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/rmsprop.hpp"
#include "weft/optim/schedule.hpp"
#include "weft/optim/sgd.hpp"

namespace WEFT_NAMESPACE::optim {

WEFT_REFUSAL(
    OptimizerIsSpelled,
    "an optimiser's name has these letters: optim::SGD, Adam, AdamW, RMSprop, Adagrad, Adadelta, Adamax, "
    "NAdam, RAdam");
template <class O>
inline constexpr bool is_misspelt = requires {
  O::misspelt;
};

#define WEFT_MISSPELT(name)                                            \
  struct name {                                                        \
    static constexpr OptionKind option = OptionKind::optimizer;        \
    static constexpr bool misspelt = true;                             \
    schedule::Schedule lr{};                                           \
    float alpha = 0, rho = 0, momentum = 0, eps = 0, weight_decay = 0; \
  };
WEFT_MISSPELT(RMSProp)
WEFT_MISSPELT(Sgd)
WEFT_MISSPELT(Adamw)
WEFT_MISSPELT(AdaGrad)
WEFT_MISSPELT(AdaDelta)
WEFT_MISSPELT(SparseAdam)
#undef WEFT_MISSPELT

WEFT_REFUSAL(
    NumbersAreMembers,
    "an optimiser's numbers are its members: write optim::AdamW{.lr = 1e-3f, .weight_decay = 0.1f} in "
    "the place of AdamWOptions(1e-3).weight_decay(0.1)");
template <class O>
struct LibtorchOptions : O {
  template <class... A>
  constexpr explicit LibtorchOptions(const A&...) {
    static_assert(sizeof(NumbersAreMembers<(sizeof...(A) > 99), O>) > 0);
  }
#define WEFT_MEMBER(name)                        \
  template <class... A>                          \
  constexpr LibtorchOptions& name(const A&...) { \
    return *this;                                \
  }
  WEFT_MEMBER(lr)
  WEFT_MEMBER(betas)
  WEFT_MEMBER(eps)
  WEFT_MEMBER(weight_decay)
  WEFT_MEMBER(amsgrad)
  WEFT_MEMBER(momentum)
  WEFT_MEMBER(dampening)
  WEFT_MEMBER(nesterov)
  WEFT_MEMBER(alpha)
  WEFT_MEMBER(centered)
  WEFT_MEMBER(lr_decay)
#undef WEFT_MEMBER
};
using AdamOptions = LibtorchOptions<Adam>;
using AdamWOptions = LibtorchOptions<AdamW>;
using SGDOptions = LibtorchOptions<SGD>;
using RMSpropOptions = LibtorchOptions<RMSprop>;
using AdagradOptions = LibtorchOptions<Adagrad>;

}  // namespace WEFT_NAMESPACE::optim
