#pragma once
// What is said to who uses a trainer as it cannot be used: by the names of PyTorch, Keras and scikit-learn,
// copied, with arguments in braces.

#include "weft/core/diagnose.hpp"
#include "weft/exec/model.hpp"

namespace WEFT_NAMESPACE::train {

WEFT_REFUSAL(NormIsKnown,
             "gradient_norm: the step computes it only to clip by it: give clip::norm(most), with an "
             "infinite `most` to look at it alone");

WEFT_REFUSAL(
    TrainerIsStepped,
    "the program drives a trainer: for (auto& [x, y] : loader) trainer.step(x, y); "
    "trainer.evaluate(dataset) tests, trainer.save(path) and load(path) keep it, set_lr(rate) sets the "
    "rate");
WEFT_REFUSAL(
    RateIsNumber,
    "set_lr takes a number, for the updates to come: a schedule is the optimiser's, optim::AdamW{.lr = "
    "schedule::cosine(1e-3, 1000)}");
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
WEFT_REFUSAL(RateIsSet,
             "the optimiser's numbers are given where the trainer is made, and the rate is set later: "
             "optim::AdamW{.weight_decay = 0.1f}, trainer.set_lr(0.1f), trainer.lr()");

// trainer.optimizer().lr = 0.1f
struct AfterOptimizer : AfterRefusal {
  AfterRefusal lr, weight_decay, momentum, param_groups;
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
  WEFT_REFUSED_MEMBER(optimizer, AfterOptimizer{}, RateIsSet, M)
#undef WEFT_MEMBER
};

}  // namespace WEFT_NAMESPACE::train
