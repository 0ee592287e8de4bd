#pragma once
// What may follow the inputs of compile(), in any order, each kind once: a precision, a mode (for a model), a
// seed, probes, checks (core/check.hpp), and caller-provided memory.

#include "weft/compiler/user_pass.hpp"
#include "weft/core/check.hpp"
#include "weft/core/fresh_seed.hpp"
#include "weft/core/option.hpp"
#include "weft/ops/core/input.hpp"
#include "weft/ops/core/probe.hpp"
#include "weft/transforms/precision.hpp"

namespace WEFT_NAMESPACE {

// The seed of random numbers: a trainer's starting values and dropout, a function's draws. What is given none
// takes a fresh one (core/fresh_seed.hpp).
struct seed {
  static constexpr OptionKind option = OptionKind::seed;
  u64 value = 0;  // any number
};

// Refused.
WEFT_REFUSAL(ManualSeedIsNumber, "manual_seed takes the number itself: manual_seed(7)");
template <class Given>
requires std::is_same_v<Given, seed>
void manual_seed(const Given&) { static_assert(sizeof(ManualSeedIsNumber<sizeof(Given) == 0, Given>) > 0); }

template <class... None>
requires(sizeof...(None) == 0) void manual_seed(const None&...) {
  static_assert(sizeof(ManualSeedIsNumber<(sizeof...(None) > 0)>) > 0);
}

WEFT_REFUSAL(GradientsAreAsked,
             "nothing records a gradient here: a compiled function makes those it asks for, grad(f)(x), a "
             "trainer's step its loss's: leave the guard out, and stop_gradient(x) where one is not to flow");
#define WEFT_GUARD(name)                                                       \
  struct name : AfterRefusal {                                                 \
    template <class... A>                                                      \
    explicit name(const A&...) {                                               \
      static_assert(sizeof(GradientsAreAsked<(sizeof...(A) > 99), name>) > 0); \
    }                                                                          \
  };
WEFT_GUARD(no_grad)
WEFT_GUARD(inference_mode)
WEFT_GUARD(NoGradGuard)
WEFT_GUARD(InferenceMode)
WEFT_GUARD(AutoGradMode)
#undef WEFT_GUARD

namespace mode {
struct Train : PolicyValue {
  static constexpr OptionKind option = OptionKind::mode;
};
struct Eval : PolicyValue {
  static constexpr OptionKind option = OptionKind::mode;
};
// Dropout drops; normalisations take the batch's statistics and update the running ones.
inline constexpr Train train{};
inline constexpr Eval eval{};
#ifndef __CUDACC__  // (it has no such attribute)
#define WEFT_MEANT(name, Mode, mode) \
  __attribute__((unavailable(        \
      "the modes are mode::train and mode::eval: write mode::" #mode))) inline constexpr Mode name{};
WEFT_MEANT(inference, Eval, eval)
WEFT_MEANT(evaluation, Eval, eval)
WEFT_MEANT(predict, Eval, eval)
WEFT_MEANT(test, Eval, eval)
WEFT_MEANT(training, Train, train)
#undef WEFT_MEANT
#endif
}  // namespace mode

// Memory of the device that the caller lends, aligned to 256 bytes, and leaves alone as long as what works in
// it lives; null: weft allocates its own. A model's block is lent to Model.
struct lend {
  static constexpr OptionKind option = OptionKind::memory;
  void* workspace = nullptr;  // memory_bytes() of the function or trainer
  void* optimizer = nullptr;  // optimizer_bytes() of the trainer
};

namespace exec {

// The seed among the options, or a fresh one.
template <class... O>
u64 given_or_fresh_seed(SeedUse use, const O&... options) {
  if constexpr (option_count < OptionKind::seed, O... >> 0)
    return get_option<seed>(options...).value;
  else
    return fresh_seed(use);
}

WEFT_REFUSAL(CompileInputsFirst,
             "compile: the inputs come before the options: compile(device, f, in<...>, ..., options...)");
WEFT_REFUSAL(
    CompileKnowsOption,
    "compile: after the inputs it takes a precision, mode::train or mode::eval, seed{}, probes<...>, "
    "check::finite, check::indices, pass::after<...> and lend{}, and nothing else: an input is written "
    "in<f32, 2, 3>");
WEFT_REFUSAL(
    CompileOptionOnce,
    "compile: a precision, a mode, seed{}, probes<...>, a check or lend{} is given twice: leave one out");
WEFT_REFUSAL(
    CompileModeOfModel,
    "compile: a mode is one of a model's layers, and this function has no model: leave it out, or write "
    "compile(model, f, inputs...)");

WEFT_REFUSAL(F8IsTrained,
             "precision::f8: its scales are a trainer's state, and a compiled function has none: take "
             "precision::bf16");
WEFT_REFUSAL(CompileHasNoUpdate,
             "pass::after<\"update\">: a compiled function has no update, which is a trainer's: write "
             "pass::after<\"differentiate\">(P{})");

// The messages for arguments that make no function, with the options that were given.
template <bool HasModel>
struct CompileCheck {
  static constexpr bool knows(OptionKind kind) {
    return kind == OptionKind::precision || kind == OptionKind::mode || kind == OptionKind::seed ||
           kind == OptionKind::probes || kind == OptionKind::memory || kind == OptionKind::check_finite ||
           kind == OptionKind::check_indices || kind == OptionKind::check_both || kind == OptionKind::pass;
  }
  template <class... O>
  struct For {
    static constexpr bool ordered = option_count<OptionKind::input, O...> == 0;
    static constexpr bool known =
        ((knows(option_kind<O>()) || option_kind<O>() == OptionKind::input) && ... && true);
    static constexpr bool once = options_differ<O...>();
    static constexpr bool moded = HasModel || option_count<OptionKind::mode, O...> == 0;
    static constexpr bool ok = ordered && known && once && moded;
    static_assert(sizeof(CompileKnowsOption<known, O...>) > 0);
    static_assert(sizeof(CompileInputsFirst<ordered, O...>) > 0);
    static_assert(sizeof(CompileOptionOnce<once, O...>) > 0);
    static_assert(sizeof(CompileModeOfModel<moded, O...>) > 0);
  };
};

// A function's options, sorted into their kinds.
template <class... O>
struct CompileOptions {
  using Precision = find_option<OptionKind::precision, precision::F32, O...>;
  static_assert(
      sizeof(precision::PrecisionIsNamed<!std::is_same_v<Precision, precision::Misnamed>, Precision>) > 0);
  static_assert(sizeof(F8IsTrained<!precision::is_f8<Precision>, Precision>) > 0);
  using Probes = find_option<OptionKind::probes, ProbeNames<>, O...>;
  static constexpr bool training =
      std::is_same_v<find_option<OptionKind::mode, mode::Eval, O...>, mode::Train>;
  static constexpr Checks checks = given_checks<O...>;
  using Passes = compiler::user_passes<O...>;
  static_assert(
      sizeof(CompileHasNoUpdate<!compiler::has_pass_behind<compiler::Behind::update, Passes>, O...>) > 0);
};

// The arguments after a function: `inputs`, a tuple of those in front, and To<...> of the options behind
// them.
template <class Inputs, class... A>
struct SplitArguments {
  using inputs = Inputs;
  template <template <class...> class To>
  using options = To<A...>;
};
template <class... I, class T, class S, class... A>
struct SplitArguments<std::tuple<I...>, Input<T, S>, A...>
    : SplitArguments<std::tuple<I..., Input<T, S>>, A...> {};

}  // namespace exec
}  // namespace WEFT_NAMESPACE
