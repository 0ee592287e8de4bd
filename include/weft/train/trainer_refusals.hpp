#pragma once
// What is said to who uses a trainer as it cannot be used: by the names of PyTorch, Keras and scikit-learn,
// copied, with arguments in braces.

#include <string>

#include "weft/core/diagnose.hpp"
#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE::train {

// Of an optimiser's state that there is no memory for.
inline std::string optimizer_text(i64 parameters) {
  return "this is the optimiser's state, beside " + std::to_string(parameters >> 20) +
         " MB of parameters: optim::SGD and Adafactor keep less than AdamW, and comm::zero<1, Backend> "
         "shares it out "
         "over the ranks";
}

WEFT_REFUSAL(NormIsKnown,
             "gradient_norm: the step computes it only to clip by it: give clip::norm(most), with an "
             "infinite `most` to look at it alone");

WEFT_REFUSAL(
    TrainerIsStepped,
    "the program drives a trainer: for (auto& [x, y] : loader) trainer.step(x, y); "
    "trainer.evaluate(dataset) tests, trainer.save(path) and load(path) keep it, set_lr(rate) sets the "
    "rate, and compile(trainer.model(), in<...>) predicts");
WEFT_REFUSAL(
    RateIsNumber,
    "set_lr takes a number, for the updates to come: a schedule is the optimiser's, optim::AdamW{.lr = "
    "schedule::cosine(1e-3, 1000)}");
WEFT_REFUSAL(
    FunctionComesFirst,
    "evaluate: what is evaluated stands before the dataset: trainer.evaluate([](const auto& m, auto x, "
    "auto y) { return accuracy(m(x), y); }, dataset)");
WEFT_REFUSAL(DatasetIsEvaluated,
             "evaluate takes a dataset, whose batches it makes itself: trainer.evaluate(dataset) in place of "
             "trainer.evaluate(loader); of vectors, data::Arrays<f32, i64> dataset({x, {8}}, {y, {}})");
WEFT_REFUSAL(AverageIsKept,
             "average: the optimiser keeps no average of the weights: make_trainer(..., "
             "optim::ema(optim::AdamW{}, 0.999f)), or optim::swa");

WEFT_REFUSAL(
    StepIsWhole,
    "step(x, y) is the whole step: forward, backward, update and zeroed gradients: leave zero_grad() and "
    "backward() out");
WEFT_REFUSAL(StepIsUnbraced,
             "step takes one argument for each input, without braces around them: trainer.step(x, y)");
WEFT_REFUSAL(TrainerIsNoPointer, "a trainer is no pointer: write trainer.step(x, y) in place of ->");
WEFT_REFUSAL(
    TrainerIsMoved,
    "a trainer is moved, not copied, as it works in memory of its own: auto b = std::move(a) takes it "
    "over, auto& b = a names the same one, trainer.save(path) and load(path) make another like it");
WEFT_REFUSAL(TrainerEvaluates, "a trainer evaluates its own model: trainer.evaluate(dataset)");
WEFT_REFUSAL(
    LossIsReturned,
    "the loss is what a step returns: float loss = trainer.step(x, y); the rate is trainer.lr(), and is "
    "set by trainer.set_lr(0.1f)");
WEFT_REFUSAL(RateIsSet,
             "the optimiser's numbers are given where the trainer is made, and the rate is set later: "
             "optim::AdamW{.weight_decay = 0.1f}, trainer.set_lr(0.1f), trainer.lr()");

WEFT_REFUSAL(StateIsOfModel,
             "parameters are the model's: trainer.model().get<\"fc1.weight\">() reads one, and "
             "model.get<\"fc1.weight\">() = values writes one of Model<Net> model, make_trainer(model, ...)");

// trainer.optimizer().lr = 0.1f
struct AfterOptimizer : AfterRefusal {
  AfterRefusal lr, weight_decay, momentum, param_groups;
};
// trainer.optimizer.lr = 0.1f, trainer.optimizer.param_groups[0], for (auto& g :
// trainer.optimizer.param_groups)
template <class M>
struct OptimizerNumber {
  template <class B>
  constexpr void operator=(const B&) const {
    static_assert(sizeof(RateIsSet<sizeof(B) == 0, M>) > 0);
  }
  template <class B>
  constexpr operator B() const {
    static_assert(sizeof(RateIsSet<sizeof(B) == 0, M>) > 0);
    return B{};
  }
  template <class I>
  auto operator[](const I&) const {
    static_assert(sizeof(RateIsSet<sizeof(I) == 0, M>) > 0);
    return AfterOptimizer{};
  }
  template <class N = M>
  auto begin() const {
    static_assert(sizeof(RateIsSet<sizeof(N*) == 0, M>) > 0);
    return static_cast<AfterOptimizer*>(nullptr);
  }
  AfterOptimizer* end() const { return nullptr; }
};
// trainer.loss
template <class M>
struct LossMember {
  template <class B>
  constexpr operator B() const {
    static_assert(sizeof(LossIsReturned<sizeof(B) == 0, M>) > 0);
    return B{};
  }
  template <class Out>
  requires requires(Out& out) { out << 1; }
  friend Out& operator<<(Out& out, const LossMember&) {
    static_assert(sizeof(LossIsReturned<sizeof(Out) == 0, M>) > 0);
    return out;
  }
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, LossIsReturned, spelled::backward, M)
  WEFT_MEMBER(operator())
  WEFT_MEMBER(item)
  WEFT_MEMBER(backward)
#undef WEFT_MEMBER
};
// trainer.optimizer
template <class M>
struct OptimizerMember {
  OptimizerNumber<M> lr, weight_decay, momentum, betas, eps, param_groups;
  template <class... A>
  auto operator()(const A&...) const {
    static_assert(sizeof(RateIsSet<(sizeof...(A) > 1024), M>) > 0);
    return AfterOptimizer{};
  }
  WEFT_REFUSED_MEMBER(step, AfterRefusal{}, StepIsWhole, spelled::step, M)
  WEFT_REFUSED_MEMBER(zero_grad, AfterRefusal{}, StepIsWhole, spelled::zero_grad, M)
};

// The members that others' trainers have, of one of an M.
template <class M>
struct RefusedMembers {
#define WEFT_MEMBER(name, Refusal) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, Refusal, spelled::name, M)
  WEFT_MEMBER(zero_grad, StepIsWhole)
  WEFT_MEMBER(backward, StepIsWhole)
  WEFT_MEMBER(eval, exec::ModeIsOption)
  WEFT_MEMBER(state_dict, exec::StateIsNamed)
  WEFT_MEMBER(parameters, exec::StateIsNamed)
  WEFT_MEMBER(fit, TrainerIsStepped)
  WEFT_MEMBER(train, TrainerIsStepped)
  WEFT_MEMBER(test, TrainerIsStepped)
  WEFT_MEMBER(validate, TrainerIsStepped)
  WEFT_MEMBER(predict, TrainerIsStepped)
  WEFT_MEMBER(get_lr, TrainerIsStepped)
  WEFT_MEMBER(set_learning_rate, TrainerIsStepped)
  WEFT_MEMBER(load_state_dict, TrainerIsStepped)
  WEFT_MEMBER(forward, TrainerIsStepped)
  WEFT_MEMBER(to, TrainerIsStepped)
  WEFT_MEMBER(cuda, TrainerIsStepped)
  WEFT_MEMBER(get, StateIsOfModel)
  template <FixedString Name>
  auto get() const {
    static_assert(sizeof(StateIsOfModel<sizeof(Name) == 0, spelled::get, M>) > 0);
    return AfterRefusal{};
  }
  static constexpr OptimizerMember<M> optimizer{};
  static constexpr LossMember<M> loss{};
#undef WEFT_MEMBER
};

}  // namespace WEFT_NAMESPACE::train
