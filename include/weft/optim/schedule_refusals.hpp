#pragma once
// What is said of rates and schedules that are written as elsewhere.

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE::schedule {

WEFT_REFUSAL(PlateauIsFed,
             "ReduceOnPlateau looks at a metric and so is no function of the step: start with .lr = "
             "plateau.lr, and after each evaluation write trainer.set_lr(plateau.step(metric))");

WEFT_REFUSAL(
    OptimizerIsGivenNumbers,
    "an optimiser is given numbers alone: make_trainer(model, loss, in<...>, optim::AdamW{.lr = 1e-3}) "
    "has the parameters from the model");
WEFT_REFUSAL(ScheduleIsAsked,
             "a schedule is the optimiser's rate, which asks it at each update: optim::AdamW{.lr = "
             "schedule::cosine(1e-3, 1000)}; its rate at a step is schedule(step), a trainer's trainer.lr()");

WEFT_REFUSAL(
    ScheduleIsSpelled,
    "a schedule's rate as a function of the step is schedule::lambda(0.1, [](i64 step) { return 0.9f; }); "
    "milestones are listed, multistep(0.1, {30, 60}); options are named, one_cycle(0.1, 1000, {.pct_start = "
    "0.3})");

WEFT_REFUSAL(RateIsNumber,
             "a rate is a number or a schedule, and no text: write .lr = 0.1f, .lr = schedule::cosine(0.1, "
             "1000)");

}  // namespace WEFT_NAMESPACE::schedule
