#pragma once
// Optimisers in the letters that others have for them: make_trainer says which are meant.

#include "weft/core/diagnose.hpp"
#include "weft/core/option.hpp"
#include "weft/optim/schedule.hpp"

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
#undef WEFT_MISSPELT

}  // namespace WEFT_NAMESPACE::optim
