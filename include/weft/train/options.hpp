#pragma once
// What a trainer may be told after its inputs, in any order, each kind once: an optimiser, clipping,
// accumulation, checkpointing, communication, and what compile() takes too (exec/options.hpp).

#include "weft/exec/options.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/groups.hpp"
#include "weft/optim/sgd.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(AccumulatesSome, "accumulate<N>: the number of steps before an update is at least 1");

// Gradients are averaged over N calls of step before an update.
template <int N>
struct Accumulate {
  static_assert(sizeof(AccumulatesSome<(N >= 1), GivenSize<N>>) > 0);
  static constexpr OptionKind option = OptionKind::accumulate;
  static constexpr int count = N;
};
template <int N>
inline constexpr Accumulate<N> accumulate{};

namespace clip {
// Gradients are scaled by min(1, most / (|g| + 1e-6)), |g| the norm over all parameters: clip_grad_norm_.
struct Norm {
  static constexpr OptionKind option = OptionKind::clip;
  float most = 1;  // of the norm; infinite: only gradient_norm() is wanted
};
// Every element of every gradient is held to [-most, most]: clip_grad_value_.
struct Value {
  static constexpr OptionKind option = OptionKind::clip;
  float most = 1;  // of an element
};
struct None {
  static constexpr OptionKind option = OptionKind::clip;
};
constexpr Norm norm(float most) { return {most}; }
constexpr Value value(float most) { return {most}; }
// Gradients as they are.
inline constexpr None none{};
}  // namespace clip

// Recomputation: `none` keeps every value that the backward pass reads.
namespace checkpoint {
struct None {
  static constexpr OptionKind option = OptionKind::checkpoint;
};
inline constexpr None none{};
}  // namespace checkpoint

// Communication between ranks: `none` trains on one.
namespace comm {
struct None {
  static constexpr OptionKind option = OptionKind::comm;
};
inline constexpr None none{};
}  // namespace comm

namespace train {

WEFT_REFUSAL(
    TrainerKnowsOption,
    "make_trainer: one of the options is none that it knows: after the inputs, in<f32, 32, 8>, it takes an "
    "optimiser, a precision, clip::norm(most) or clip::value(most), accumulate<N>, seed{}, a mode, "
    "probes<...>, check::finite, check::indices, pass::after<...> and lend{}");
WEFT_REFUSAL(
    TrainerInputsFirst,
    "make_trainer: the inputs come before the options: make_trainer<Net>(device, loss, in<...>, ..., "
    "options...)");
WEFT_REFUSAL(TrainerHasOptimizer, "make_trainer: an optimiser is missing: add one, such as optim::AdamW{}");
WEFT_REFUSAL(TrainerOptionOnce,
             "make_trainer: the optimiser, the precision, the clipping, accumulate<N>, the seed, the mode, "
             "probes<...>, a check or lend{} is given twice: leave one out");

// The messages for options that make no trainer.
template <class... O>
struct CheckOptions {
  static constexpr bool known = ((option_kind<O>() != OptionKind::unknown) && ... && true);
  static constexpr bool ordered = option_count<OptionKind::input, O...> == 0;
  static constexpr bool optimized = option_count<OptionKind::optimizer, O...> >= 1;
  static_assert(sizeof(TrainerKnowsOption<known, O...>) > 0);
  static_assert(sizeof(TrainerInputsFirst<ordered, O...>) > 0);
  static_assert(sizeof(TrainerHasOptimizer<optimized, O...>) > 0);
  static_assert(sizeof(TrainerOptionOnce<options_differ<O...>(), O...>) > 0);
};

// A trainer's options, sorted into their kinds.
template <class... O>
struct Options {
  // False if CheckOptions has something to say.
  static constexpr bool ok =
      options_differ<O...>() && option_count<OptionKind::optimizer, O...> == 1 &&
      option_count<OptionKind::input, O...> + option_count<OptionKind::unknown, O...> == 0;

  using given_optimizer = find_option<OptionKind::optimizer, optim::PlainSGD, O...>;
  using Optimizer = typename optim::AsGroups<given_optimizer>::type;
  using Precision = find_option<OptionKind::precision, precision::F32, O...>;
  static_assert(
      sizeof(precision::PrecisionIsNamed<!std::is_same_v<Precision, precision::Misnamed>, Precision>) > 0);
  using Clip = find_option<OptionKind::clip, clip::None, O...>;
  // One that asks for the loss several times a step (LBFGS) finds the gradient where others accumulate it.
  static constexpr bool closure = requires { Optimizer::base::closure; };
  static constexpr bool accumulates = option_count<OptionKind::accumulate, O...> > 0;
  using Accumulation = find_option<OptionKind::accumulate, Accumulate<closure ? 2 : 1>, O...>;
  using Probes = find_option<OptionKind::probes, ProbeNames<>, O...>;
  using Mode = find_option<OptionKind::mode, mode::Train, O...>;
  static constexpr bool training = std::is_same_v<Mode, mode::Train>;
  static constexpr Checks checks = given_checks<O...>;
  using Passes = compiler::user_passes<O...>;
};

}  // namespace train
}  // namespace WEFT_NAMESPACE
