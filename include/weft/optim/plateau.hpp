#pragma once
// PyTorch's ReduceLROnPlateau: a learning rate lowered when a metric has stopped improving. It depends on the
// metrics it was fed, so it is an object of the host program and no schedule:
// trainer.set_lr(plateau.step(loss)).

#include <limits>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace weft::schedule {

struct PlateauOptions {
  enum class Better { lower, higher } better = Better::lower;
  enum class Threshold { relative, absolute } threshold_mode = Threshold::relative;
  f64 factor = 0.1;      // the new rate is the old one times this
  i64 patience = 10;     // evaluations without improvement that are tolerated
  f64 threshold = 1e-4;  // a smaller change is no improvement
  i64 cooldown = 0;      // evaluations after a reduction that are not counted
  f64 min_lr = 0;
  f64 eps = 1e-8;  // a smaller reduction is not made
};

class ReduceOnPlateau {
 public:
  // What a checkpoint keeps.
  struct State {
    f64 lr = 0;
    f64 best = 0;
    i64 bad = 0;
    i64 cooldown_left = 0;
  };

  explicit ReduceOnPlateau(f64 lr, PlateauOptions options = {}) : options_(options) {
    if (options.factor >= 1) throw Error("schedule/bad-argument", "ReduceOnPlateau: factor must be below 1");
    constexpr f64 infinity = std::numeric_limits<f64>::infinity();
    state_ = {lr, options.better == PlateauOptions::Better::lower ? infinity : -infinity, 0, 0};
  }

  // Feeds the metric of one evaluation; returns the rate to use from now on.
  f32 step(f64 metric) {
    if (improves(metric)) {
      state_.best = metric;
      state_.bad = 0;
    } else {
      ++state_.bad;
    }
    if (state_.cooldown_left > 0) {
      --state_.cooldown_left;
      state_.bad = 0;
    }
    if (state_.bad > options_.patience) {
      const f64 proposed = state_.lr * options_.factor;
      const f64 lowered = proposed > options_.min_lr ? proposed : options_.min_lr;
      if (state_.lr - lowered > options_.eps) state_.lr = lowered;
      state_.cooldown_left = options_.cooldown;
      state_.bad = 0;
    }
    return lr();
  }
  f32 lr() const { return static_cast<f32>(state_.lr); }

  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  bool improves(f64 metric) const {
    const bool relative = options_.threshold_mode == PlateauOptions::Threshold::relative;
    if (options_.better == PlateauOptions::Better::lower)
      return metric < (relative ? state_.best * (1 - options_.threshold) : state_.best - options_.threshold);
    return metric > (relative ? state_.best * (1 + options_.threshold) : state_.best + options_.threshold);
  }

  PlateauOptions options_;
  State state_;
};

}  // namespace weft::schedule
