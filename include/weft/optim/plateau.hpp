#pragma once
// PyTorch's ReduceLROnPlateau: a learning rate lowered when a metric has stopped improving. It depends on the
// metrics it was fed, so it is an object of the host program and no schedule:
// schedule::ReduceOnPlateau plateau{.lr = 1e-3, .patience = 5}; trainer.set_lr(plateau.step(loss)).

#include <limits>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::schedule {

// Which metrics are better, the lesser or the greater; and what `threshold` is, a part of the best metric or
// a distance from it.
enum class PlateauMode { min, max };
enum class PlateauThreshold { rel, abs };

namespace detail {
// The worst metric there is, in front of the first one.
inline f64 plateau_worst(f64 lr, PlateauMode mode, f64 factor) {
  if (!(lr > 0)) throw Error("schedule/bad-argument", "ReduceOnPlateau: lr must be positive");
  if (!(factor < 1)) throw Error("schedule/bad-argument", "ReduceOnPlateau: factor must be below 1");
  constexpr f64 infinity = std::numeric_limits<f64>::infinity();
  return mode == PlateauMode::min ? infinity : -infinity;
}
}  // namespace detail

// Members in the order of PyTorch's arguments, with its defaults. Throws "schedule/bad-argument" when it is
// made with a rate that is not positive or a factor that does not lower it.
struct ReduceOnPlateau {
  f64 lr = 0;                           // the rate in use: at first the one given
  PlateauMode mode = PlateauMode::min;  // whether less or more is better
  f64 factor = 0.1;                     // the new rate is the old one times this
  i64 patience = 10;                    // evaluations without improvement that are tolerated
  f64 threshold = 1e-4;                 // a smaller change is no improvement
  PlateauThreshold threshold_mode =
      PlateauThreshold::rel;  // whether the threshold is a share or a difference
  i64 cooldown = 0;           // evaluations after a reduction that are not counted
  f64 min_lr = 0;             // the rate does not fall below it
  f64 eps = 1e-8;             // a smaller reduction is not made
  // where it stands
  f64 best = detail::plateau_worst(lr, mode, factor);
  i64 bad = 0;            // steps without a better value; part of the state
  i64 cooldown_left = 0;  // steps that are not counted; part of the state

  // What a checkpoint keeps.
  struct State {
    f64 lr = 0;
    f64 best = 0;
    i64 bad = 0;
    i64 cooldown_left = 0;
  };
  // What has to be kept to continue later.
  State state() const { return {lr, best, bad, cooldown_left}; }
  // Goes on from there.
  void restore(const State& s) { lr = s.lr, best = s.best, bad = s.bad, cooldown_left = s.cooldown_left; }

  // Feeds the metric of one evaluation; returns the rate to use from now on.
  f32 step(f64 metric) {
    if (improves(metric)) {
      best = metric;
      bad = 0;
    } else {
      ++bad;
    }
    if (cooldown_left > 0) {
      --cooldown_left;
      bad = 0;
    }
    if (bad > patience) {
      const f64 proposed = lr * factor;
      const f64 lowered = proposed > min_lr ? proposed : min_lr;
      if (lr - lowered > eps) lr = lowered;
      cooldown_left = cooldown;
      bad = 0;
    }
    return static_cast<f32>(lr);
  }

  // Whether a metric is better than the best so far.
  bool improves(f64 metric) const {
    const bool relative = threshold_mode == PlateauThreshold::rel;
    if (mode == PlateauMode::min) return metric < (relative ? best * (1 - threshold) : best - threshold);
    return metric > (relative ? best * (1 + threshold) : best + threshold);
  }
};

}  // namespace WEFT_NAMESPACE::schedule
