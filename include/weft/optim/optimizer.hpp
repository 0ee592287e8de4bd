#pragma once
// What an optimiser is: a pointwise expression over flat vectors, compiled into one kernel per parameter
// group. Its numbers are run-time scalars; what changes the expression or the state is in its type.
//
// An optimiser O has
//
//   static constexpr std::string_view name;        for checkpoints, which another's trainer refuses
//   static constexpr int moments;                  flat state vectors beside the parameters, zero at first
//   static constexpr int numbers;                  run-time scalars it reads
//   void fill(i64 step, f32* numbers) const;       their values at a step (counted from 0)
//   static constexpr void update(Update& u);       replaces u.parameter and u.moment[]
//
// One that treats matrices otherwise (Muon) has besides
//
//   static constexpr void update_matrix(Update&);  one parameter of two axes, everything shaped as it is
//   void fill_others(i64 step, f32*) const;        the numbers of update(), which gets all that is no matrix
//
// One that treats every parameter by itself (Adafactor) has in place of update()
//
//   static constexpr void update_tensor(Update&);  one parameter, shaped as it is
//   static constexpr int factors;                  so many moments, the first, have shapes of their own
//   static constexpr Dims factor_dims(int m, const Dims& parameter);
//
// One that wraps another, which it derives from, has `using wrapped` for that one and in place of the name
//
//   static constexpr std::string_view wrapper;     the name of the wrapping: ema(AdamW)

#include <string>
#include <string_view>

#include "weft/core/refused_option.hpp"
#include "weft/ir/value.hpp"
#include "weft/optim/schedule.hpp"

namespace WEFT_NAMESPACE::optim {

using ir::Op;
using ir::Value;
using schedule::Schedule;

// Of an optimiser in all its wrappers.
inline constexpr int most_moments = 8, most_numbers = 32;
WEFT_REFUSAL(WrappersFit,
             "an optimiser with its wrappers (ema, swa, amsgrad) has at most 8 vectors of state and 32 "
             "numbers: leave a wrapper out");

// Bound to one group's vectors. All of the parameters' dtype; numbers (run-time scalars of f32) and updates
// broadcast.
struct Update {
  Value parameter;
  Value gradient;
  Value moment[most_moments];
  Value number[most_numbers];
  Value updates;  // how many updates were applied, this one included
};

// "ema(AdamW)"; of one without a name "unnamed".
template <class O>
std::string optimizer_name() {
  if constexpr (requires { O::wrapper; })
    return std::string(O::wrapper) + "(" + optimizer_name<typename O::wrapped>() + ")";
  else if constexpr (requires { O::name; })
    return std::string(O::name);
  else
    return "unnamed";
}

WEFT_REFUSAL(OptimizerIsOption,
             "an optimiser is numbers alone, and an argument of make_trainer, make_trainer<Net>(Cpu{}, loss, "
             "in<f32, 4, 8>, optim::Adam{.lr = 1e-3f}), which has the parameters: trainer.step(x) computes "
             "gradients of zero and updates, trainer.save(path) keeps the optimiser's state");
WEFT_REFUSAL(WrapperIsFunction,
             "amsgrad and maximize are functions of an optimiser: write optim::amsgrad(optim::AdamW{.lr = "
             "1e-3f}), optim::maximize(optim::SGD{.lr = 0.1f})");
WEFT_REFUSAL(UpdateIsFused,
             "how the update runs is no option, as a step is one compiled program: leave foreach, fused and "
             "capturable out");
WEFT_REFUSAL(RateIsLr, "an optimiser's rate is its member lr: write optim::AdamW{.lr = 1e-3f}");
// In each of them, so that they stay structs without a base class.
#define WEFT_OPTIMIZER(Self)                                               \
  WEFT_REFUSED_MEMBER(step, AfterRefusal{}, OptimizerIsOption, Self)       \
  WEFT_REFUSED_MEMBER(zero_grad, AfterRefusal{}, OptimizerIsOption, Self)  \
  WEFT_REFUSED_MEMBER(state_dict, AfterRefusal{}, OptimizerIsOption, Self) \
  WEFT_REFUSED_OPTION(maximize, WrapperIsFunction, Self)                   \
  WEFT_REFUSED_OPTION(foreach, UpdateIsFused, Self)                        \
  WEFT_REFUSED_OPTION(fused, UpdateIsFused, Self)                          \
  WEFT_REFUSED_OPTION(capturable, UpdateIsFused, Self)                     \
  WEFT_REFUSED_OPTION(learning_rate, RateIsLr, Self)

constexpr Value square_root(Value x) { return ir::unary(Op::sqrt, x); }
constexpr Value power(Value x, Value y) { return ir::binary(Op::pow, x, y); }

}  // namespace WEFT_NAMESPACE::optim
