#pragma once
// What a trainer may be told after its inputs, in any order, each kind once: an optimiser, a precision,
// clipping, accumulation, a seed, a mode, checkpointing and communication.

#include "weft/ops/input.hpp"
#include "weft/ops/probe.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/groups.hpp"
#include "weft/optim/sgd.hpp"
#include "weft/passes/precision.hpp"

namespace weft {

// The seed of a trainer's random numbers: starting values and dropout.
struct seed {
  u64 value = 0;
};

// Gradients are averaged over N calls of step before an update.
template <int N>
struct Accumulate {
  static_assert(N >= 1, "accumulate<N>: N is at least 1");
  static constexpr int count = N;
};
template <int N>
inline constexpr Accumulate<N> accumulate{};

namespace mode {
struct Train {};
struct Eval {};
inline constexpr Train train{};
inline constexpr Eval eval{};
}  // namespace mode

namespace clip {
// Gradients are scaled by min(1, most / (|g| + 1e-6)), |g| the norm over all parameters: clip_grad_norm_.
struct Norm {
  float most = 1;
};
// Every element of every gradient is held to [-most, most]: clip_grad_value_.
struct Value {
  float most = 1;
};
struct None {};
constexpr Norm norm(float most) { return {most}; }
constexpr Value value(float most) { return {most}; }
inline constexpr None none{};
}  // namespace clip

// Recomputation: `none` keeps every value that the backward pass reads.
namespace checkpoint {
struct None {};
inline constexpr None none{};
}  // namespace checkpoint

// Communication between ranks: `none` trains on one.
namespace comm {
struct None {};
inline constexpr None none{};
}  // namespace comm

namespace train {

enum class OptionKind {
  optimizer,
  precision,
  clip,
  accumulate,
  seed,
  mode,
  checkpoint,
  comm,
  probes,
  input,
  unknown
};

template <class O>
constexpr OptionKind option_kind() {
  if constexpr (
      requires { O::update; } || requires { O::update_tensor; } || optim::is_grouped<O> ||
      requires { O::closure; })
    return OptionKind::optimizer;
  else if constexpr (precision::is_policy<O>)
    return OptionKind::precision;
  else if constexpr (std::is_same_v<O, clip::Norm> || std::is_same_v<O, clip::Value> ||
                     std::is_same_v<O, clip::None>)
    return OptionKind::clip;
  else if constexpr (requires { O::count; } && !IsProbeNames<O>)
    return OptionKind::accumulate;
  else if constexpr (std::is_same_v<O, seed>)
    return OptionKind::seed;
  else if constexpr (std::is_same_v<O, mode::Train> || std::is_same_v<O, mode::Eval>)
    return OptionKind::mode;
  else if constexpr (std::is_same_v<O, checkpoint::None>)
    return OptionKind::checkpoint;
  else if constexpr (std::is_same_v<O, comm::None>)
    return OptionKind::comm;
  else if constexpr (IsProbeNames<O>)
    return OptionKind::probes;
  else if constexpr (is_input<O>)
    return OptionKind::input;
  else
    return OptionKind::unknown;
}

template <OptionKind kind, class... O>
inline constexpr int option_count = ((option_kind<O>() == kind ? 1 : 0) + ... + 0);

// The option of a kind, or Default.
template <OptionKind kind, class Default, class... O>
struct FindOption {
  using type = Default;
};
template <OptionKind kind, class Default, class First, class... Rest>
struct FindOption<kind, Default, First, Rest...> {
  using type = typename std::conditional_t<option_kind<First>() == kind, std::type_identity<First>,
                                           FindOption<kind, Default, Rest...>>::type;
};
template <OptionKind kind, class Default, class... O>
using find_option = typename FindOption<kind, Default, O...>::type;

template <class Wanted>
constexpr Wanted get_option() {
  return Wanted{};
}
template <class Wanted, class First, class... Rest>
constexpr Wanted get_option(const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<Wanted, First>)
    return first;
  else
    return get_option<Wanted>(rest...);
}

// The messages for options that make no trainer.
template <class... O>
struct CheckOptions {
  static_assert(((option_kind<O>() != OptionKind::unknown) && ... && true),
                "make_trainer: one of the options is none that it knows");
  static_assert(((option_kind<O>() != OptionKind::input) && ... && true),
                "make_trainer: inputs come before the options, one after another");
  static_assert(option_count<OptionKind::optimizer, O...> >= 1,
                "make_trainer: an optimiser is missing, such as optim::AdamW{}");
  static_assert(option_count<OptionKind::optimizer, O...> <= 1, "make_trainer: the optimiser is given twice");
  static_assert(option_count<OptionKind::precision, O...> <= 1, "make_trainer: the precision is given twice");
  static_assert(option_count<OptionKind::clip, O...> <= 1, "make_trainer: clipping is given twice");
  static_assert(option_count<OptionKind::accumulate, O...> <= 1,
                "make_trainer: accumulate<N> is given twice");
  static_assert(option_count<OptionKind::seed, O...> <= 1, "make_trainer: the seed is given twice");
  static_assert(option_count<OptionKind::mode, O...> <= 1, "make_trainer: the mode is given twice");
  static_assert(option_count<OptionKind::checkpoint, O...> <= 1,
                "make_trainer: the checkpoint policy is given twice");
  static_assert(option_count<OptionKind::comm, O...> <= 1,
                "make_trainer: the communication policy is given twice");
  static_assert(option_count<OptionKind::probes, O...> <= 1, "make_trainer: probes<...> is given twice");
};

// A trainer's options, sorted into their kinds.
template <class... O>
struct Options {
  // False if CheckOptions has something to say.
  static constexpr bool ok = [] {
    for (int kind = 0; kind < static_cast<int>(OptionKind::input); ++kind)
      if (((static_cast<int>(option_kind<O>()) == kind ? 1 : 0) + ... + 0) > 1) return false;
    return option_count<OptionKind::optimizer, O...> == 1 &&
           option_count<OptionKind::input, O...> + option_count<OptionKind::unknown, O...> == 0;
  }();

  using given_optimizer = find_option<OptionKind::optimizer, optim::PlainSGD, O...>;
  using Optimizer = typename optim::AsGroups<given_optimizer>::type;
  using Precision = find_option<OptionKind::precision, precision::F32, O...>;
  using Clip = find_option<OptionKind::clip, clip::None, O...>;
  // One that asks for the loss several times a step (LBFGS) finds the gradient where others accumulate it.
  static constexpr bool closure = requires { Optimizer::base::closure; };
  static constexpr bool accumulates = option_count<OptionKind::accumulate, O...> > 0;
  using Accumulation = find_option<OptionKind::accumulate, Accumulate<closure ? 2 : 1>, O...>;
  using Probes = find_option<OptionKind::probes, ProbeNames<>, O...>;
  using Mode = find_option<OptionKind::mode, mode::Train, O...>;
  static constexpr bool training = std::is_same_v<Mode, mode::Train>;
};

}  // namespace train
}  // namespace weft
