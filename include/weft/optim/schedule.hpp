#pragma once
// Learning rates as pure functions of the step, in place of a number: optim::AdamW{.lr =
// schedule::cosine(...)}. Law: schedule(step) depends on the step alone (no state, so stopping and resuming
// needs only the step), is computed in f64 and rounded once, and equals the rate that PyTorch's scheduler of
// the named class holds after `step` calls of its step(). Steps count optimiser updates from 0.

#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/optim/schedule_refusals.hpp"

namespace WEFT_NAMESPACE::schedule {

inline constexpr int max_milestones = 16;
inline constexpr int max_pieces = 4;

// How one_cycle moves between its rates.
enum class Anneal { cosine, linear };
// How cyclic's amplitude changes: not, halved each cycle, or multiplied by gamma each step.
enum class Cycle { triangular, triangular2, exp_range };

namespace detail {

inline constexpr f64 pi = 3.14159265358979323846;

enum class Kind {
  constant,
  constant_factor,
  linear,
  step,
  multistep,
  exponential,
  polynomial,
  cosine,
  cosine_restarts,
  one_cycle,
  cyclic,
  warmup_cosine,
  warmup_linear,
  lambda
};

// One closed form. What value, number and choice mean is fixed by the kind; see the functions that make them.
struct Piece {
  Kind kind = Kind::constant;
  int choice = 0;
  f64 base = 0;
  f64 value[4]{};
  int count = 0;
  i64 number[max_milestones]{};
  f64 (*function)(i64) = nullptr;
  f64 factor = 1;  // of the whole

  f64 at(i64 step) const;
};

inline f64 cosine_between(f64 from, f64 to, f64 part) {
  return to + (from - to) / 2 * (std::cos(pi * part) + 1);
}

inline f64 one_cycle_at(const Piece& p, i64 step) {
  const f64 share = p.value[0], first = p.base / p.value[1], last = first / p.value[2];
  const bool three_phase = p.value[3] != 0;
  const f64 total = static_cast<f64>(p.number[0]);
  const f64 t = std::fmin(static_cast<f64>(step), total - 1);
  const f64 up = share * total - 1, down = 2 * share * total - 2;
  const auto anneal = [&](f64 from, f64 to, f64 begin, f64 end) {
    const f64 part = end > begin ? (t - begin) / (end - begin) : 1;
    return p.choice == static_cast<int>(Anneal::cosine) ? cosine_between(from, to, part)
                                                        : (to - from) * part + from;
  };
  if (t <= up) return anneal(first, p.base, 0, up);
  if (!three_phase) return anneal(p.base, last, up, total - 1);
  if (t <= down) return anneal(p.base, first, up, down);
  return anneal(first, last, down, total - 1);
}

inline f64 cyclic_at(const Piece& p, i64 step) {
  const f64 up = static_cast<f64>(p.number[0]), length = up + static_cast<f64>(p.number[1]);
  const i64 cycle = step / (p.number[0] + p.number[1]);
  const f64 x = static_cast<f64>(step % (p.number[0] + p.number[1])) / length, ratio = up / length;
  f64 height = (p.value[0] - p.base) * (x <= ratio ? x / ratio : (x - 1) / (ratio - 1));
  if (p.choice == static_cast<int>(Cycle::triangular2)) height /= std::pow(2.0, static_cast<f64>(cycle));
  if (p.choice == static_cast<int>(Cycle::exp_range)) height *= std::pow(p.value[1], static_cast<f64>(step));
  return p.base + height;
}

inline f64 Piece::at(i64 step) const {
  const f64 t = static_cast<f64>(step);
  switch (kind) {
    case Kind::constant:
      return base;
    case Kind::constant_factor:
      return step < number[0] ? base * value[0] : base;
    case Kind::linear: {
      const f64 part = std::fmin(t / static_cast<f64>(number[0]), 1);
      return base * (value[0] + (value[1] - value[0]) * part);
    }
    case Kind::step:
      return base * std::pow(value[0], static_cast<f64>(step / number[0]));
    case Kind::multistep: {
      int passed = 0;
      for (int i = 0; i < count; ++i) passed += step >= number[i] ? 1 : 0;
      return base * std::pow(value[0], passed);
    }
    case Kind::exponential:
      return base * std::pow(value[0], t);
    case Kind::polynomial:
      return base * std::pow(1 - std::fmin(t / static_cast<f64>(number[0]), 1), value[0]);
    case Kind::cosine:
      return cosine_between(base, value[0], t / static_cast<f64>(number[0]));
    case Kind::cosine_restarts: {
      i64 length = number[0], rest = number[1] == 1 ? step % length : step;
      for (; rest >= length; length *= number[1]) rest -= length;
      return cosine_between(base, value[0], static_cast<f64>(rest) / static_cast<f64>(length));
    }
    case Kind::one_cycle:
      return one_cycle_at(*this, step);
    case Kind::cyclic:
      return cyclic_at(*this, step);
    case Kind::warmup_cosine:
    case Kind::warmup_linear: {
      if (step < number[0]) return base * t / static_cast<f64>(number[0]);
      if (step >= number[1]) return value[0];
      const f64 part = static_cast<f64>(step - number[0]) / static_cast<f64>(number[1] - number[0]);
      return kind == Kind::warmup_cosine ? cosine_between(base, value[0], part)
                                         : base + (value[0] - base) * part;
    }
    case Kind::lambda:
      return base * function(step);
  }
  return base;
}

constexpr void check(bool ok, const char* what) {
  if (!ok) throw Error("schedule/bad-argument", what);
}

}  // namespace detail

// A learning rate: a number, or a function of the step. A plain value (trivially copyable, no allocation).
class Schedule {
 public:
  // The same rate at every step.
  constexpr Schedule(f64 lr = 0) { pieces_[0].base = lr; }
  constexpr explicit Schedule(const detail::Piece& piece) { pieces_[0] = piece; }
  // Refused: .lr = [](i64 step) { ... }.
  template <class F>
  requires(std::is_class_v<F>&& std::is_invocable_v<const F&, i64> &&
           !requires(const F& model) { model.state_bytes(); }) constexpr Schedule(const F&) {
    static_assert(sizeof(ScheduleIsSpelled<sizeof(F) == 0, F>) > 0);
  }
  // Refused: the rate that a ReduceOnPlateau gives is known during the run.
  template <class Plateau>
  requires requires(const Plateau& p) { p.patience, p.cooldown_left; }
  constexpr Schedule(const Plateau&) {
    static_assert(sizeof(PlateauIsFed<sizeof(Plateau) == 0, Plateau>) > 0);
  }

  constexpr Schedule(const AfterRefusal&) {}
  // Refused: .lr = "0.1".
  template <class Text>
  requires(std::is_array_v<Text> || std::is_same_v<Text, const char*>) constexpr Schedule(const Text&) {
    static_assert(sizeof(RateIsNumber<sizeof(Text) == 0, Text>) > 0);
  }

  // Refused: AdamW(model, 1e-3f).
  template <class Model>
  requires requires(const Model& m) { m.state_bytes(), m.summary(); }
  constexpr Schedule(const Model&) {
    static_assert(sizeof(OptimizerIsGivenNumbers<sizeof(Model) == 0, Model>) > 0);
  }
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, ScheduleIsAsked, Schedule)
  WEFT_MEMBER(step)
  WEFT_MEMBER(get_lr)
  WEFT_MEMBER(get_last_lr)
#undef WEFT_MEMBER

  // The rate of the update number `step`, counted from 0.
  f32 operator()(i64 step) const {
    int i = count_ - 1;
    while (i > 0 && step < begin_[i]) --i;
    return static_cast<f32>(pieces_[i].factor * pieces_[i].at(step - origin_[i]));
  }
  // True if the rate is the same at every step.
  constexpr bool is_constant() const { return count_ == 1 && pieces_[0].kind == detail::Kind::constant; }
  // The same at every step times a number: a group's rate beside the others'.
  friend constexpr Schedule operator*(Schedule schedule, f64 factor) {
    for (detail::Piece& piece : schedule.pieces_) piece.factor *= factor;
    return schedule;
  }

  friend constexpr Schedule sequential(std::initializer_list<Schedule> parts,
                                       std::initializer_list<i64> milestones);

 private:
  // Piece i holds from step begin_[i] on and counts its own steps from origin_[i].
  detail::Piece pieces_[max_pieces]{};
  i64 begin_[max_pieces]{};
  i64 origin_[max_pieces]{};
  int count_ = 1;
};

// The same rate always.
constexpr Schedule constant(f64 lr) { return lr; }

// A number of steps: an integer, or a floating number that is whole, such as 1e4 or 0.1 * steps; others throw
// "schedule/bad-argument".
class Steps {
 public:
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr Steps(A steps) {
    if constexpr (std::is_floating_point_v<A>) {
      const auto given = static_cast<f64>(steps);
      detail::check(given >= -9e15 && given <= 9e15 && given == static_cast<f64>(static_cast<i64>(given)),
                    "a schedule's steps, which stand behind the rate and before factors, are whole numbers");
    }
    steps_ = static_cast<i64>(steps);
  }
  constexpr operator i64() const { return steps_; }

 private:
  i64 steps_ = 0;
};

// ConstantLR: lr * factor before step total_iters, then lr.
constexpr Schedule constant(f64 lr, f64 factor, Steps total_iters) {
  detail::check(total_iters >= 0, "constant: total_iters must not be negative");
  detail::check(factor >= 0 && factor <= 1, "constant: factor must lie in [0, 1]; the steps come behind it");
  return Schedule(
      {.kind = detail::Kind::constant_factor, .base = lr, .value = {factor}, .number = {total_iters}});
}

// LinearLR: lr times a factor that goes from start_factor to end_factor in total_iters steps and stays there.
constexpr Schedule linear(f64 lr, f64 start_factor = 1.0 / 3, f64 end_factor = 1, Steps total_iters = 5) {
  detail::check(total_iters > 0, "linear: total_iters must be positive");
  detail::check(start_factor > 0 && start_factor <= 1 && end_factor >= 0 && end_factor <= 1,
                "linear: start_factor must lie in (0, 1] and end_factor in [0, 1]; the steps come last, "
                "linear(lr, 1, 0, 100)");
  return Schedule({.kind = detail::Kind::linear,
                   .base = lr,
                   .value = {start_factor, end_factor},
                   .number = {total_iters}});
}

// StepLR: lr * gamma^floor(step / step_size).
constexpr Schedule step(f64 lr, Steps step_size, f64 gamma = 0.1) {
  detail::check(step_size > 0, "step: step_size must be positive");
  return Schedule({.kind = detail::Kind::step, .base = lr, .value = {gamma}, .number = {step_size}});
}

// MultiStepLR: lr * gamma^(number of milestones <= step). At most 16 milestones, in any order.
template <class List>
requires requires(const List& list) { list.begin(); }
constexpr auto multistep(f64, const List&, f64 = 0.1) {
  static_assert(sizeof(ScheduleIsSpelled<sizeof(List) == 0, List>) > 0);
  return Schedule();
}
template <class Milestone, class... More>
requires std::is_arithmetic_v<Milestone>
constexpr auto multistep(f64, Milestone, More...) {
  static_assert(sizeof(ScheduleIsSpelled<sizeof(Milestone) == 0, Milestone, More...>) > 0);
  return Schedule();
}
template <class Share, class... More>
requires std::is_arithmetic_v<Share>
constexpr auto one_cycle(f64, i64, Share, More...) {
  static_assert(sizeof(ScheduleIsSpelled<sizeof(Share) == 0, Share>) > 0);
  return Schedule();
}
constexpr Schedule multistep(f64 lr, std::initializer_list<i64> milestones, f64 gamma = 0.1) {
  detail::check(milestones.size() <= max_milestones, "multistep: at most 16 milestones");
  detail::Piece piece{.kind = detail::Kind::multistep, .base = lr, .value = {gamma}};
  for (const i64 milestone : milestones) piece.number[piece.count++] = milestone;
  return Schedule(piece);
}

// ExponentialLR: lr * gamma^step.
constexpr Schedule exponential(f64 lr, f64 gamma) {
  return Schedule({.kind = detail::Kind::exponential, .base = lr, .value = {gamma}});
}

// PolynomialLR: lr * (1 - min(step, total_iters) / total_iters)^power.
constexpr Schedule polynomial(f64 lr, Steps total_iters = 5, f64 power = 1) {
  detail::check(total_iters > 0, "polynomial: total_iters must be positive");
  return Schedule({.kind = detail::Kind::polynomial, .base = lr, .value = {power}, .number = {total_iters}});
}

// CosineAnnealingLR, closed form: eta_min + (lr - eta_min) (1 + cos(pi step / t_max)) / 2; it rises again
// after t_max.
constexpr Schedule cosine(f64 lr, Steps t_max, f64 eta_min = 0) {
  detail::check(t_max > 0, "cosine: t_max must be positive");
  return Schedule({.kind = detail::Kind::cosine, .base = lr, .value = {eta_min}, .number = {t_max}});
}

// CosineAnnealingWarmRestarts: cosine decays of t_0, t_0 t_mult, t_0 t_mult^2, ... steps, each from lr to
// eta_min.
constexpr Schedule cosine_restarts(f64 lr, Steps t_0, Steps t_mult = 1, f64 eta_min = 0) {
  detail::check(t_0 > 0, "cosine_restarts: t_0 must be positive");
  detail::check(t_mult > 0, "cosine_restarts: t_mult must be positive");
  return Schedule(
      {.kind = detail::Kind::cosine_restarts, .base = lr, .value = {eta_min}, .number = {t_0, t_mult}});
}

struct OneCycle {
  f64 pct_start = 0.3;             // share of the steps in which the rate rises
  Anneal anneal = Anneal::cosine;  // how it moves between its rates
  f64 div_factor = 25;             // greatest rate over the first
  f64 final_div_factor = 1e4;      // first rate over the last
  bool three_phase = false;        // down as fast as up, then to the last rate
};
// OneCycleLR: from max_lr / div_factor up to max_lr, then down to max_lr / div_factor / final_div_factor at
// step total_steps - 1, where it stays (PyTorch refuses later steps).
constexpr Schedule one_cycle(f64 max_lr, Steps total_steps, OneCycle options = {}) {
  detail::check(total_steps > 0, "one_cycle: total_steps must be positive");
  detail::check(options.pct_start >= 0 && options.pct_start <= 1, "one_cycle: pct_start must lie in [0, 1]");
  detail::check(options.div_factor > 0 && options.final_div_factor > 0,
                "one_cycle: div_factor and final_div_factor must be positive");
  return Schedule({.kind = detail::Kind::one_cycle,
                   .choice = static_cast<int>(options.anneal),
                   .base = max_lr,
                   .value = {options.pct_start, options.div_factor, options.final_div_factor,
                             options.three_phase ? 1.0 : 0.0},
                   .number = {total_steps}});
}

struct Cyclic {
  i64 step_size_up = 2000;         // steps from base_lr to max_lr
  i64 step_size_down = 0;          // 0: as many as up
  Cycle mode = Cycle::triangular;  // how the amplitude changes
  f64 gamma = 1;                   // factor of a step in exp_range
};
// CyclicLR: between base_lr and max_lr and back, again and again.
constexpr Schedule cyclic(f64 base_lr, f64 max_lr, Cyclic options = {}) {
  detail::check(options.step_size_up > 0, "cyclic: step_size_up must be positive");
  detail::check(options.step_size_down >= 0, "cyclic: step_size_down must not be negative");
  const i64 down = options.step_size_down == 0 ? options.step_size_up : options.step_size_down;
  return Schedule({.kind = detail::Kind::cyclic,
                   .choice = static_cast<int>(options.mode),
                   .base = base_lr,
                   .value = {max_lr, options.gamma},
                   .number = {options.step_size_up, down}});
}

// peak * step / warmup_steps before step warmup_steps, then half a cosine from peak to floor at total_steps,
// then floor (the schedule of most language models; transformers' get_cosine_schedule_with_warmup for floor
// 0).
constexpr Schedule warmup_cosine(f64 peak, Steps warmup_steps, Steps total_steps, f64 floor = 0) {
  detail::check(warmup_steps >= 0 && warmup_steps <= total_steps,
                "warmup_cosine: 0 <= warmup_steps <= total_steps");
  return Schedule({.kind = detail::Kind::warmup_cosine,
                   .base = peak,
                   .value = {floor},
                   .number = {warmup_steps, total_steps}});
}

// The same with a straight line from peak to floor (transformers' get_linear_schedule_with_warmup for floor
// 0).
constexpr Schedule warmup_linear(f64 peak, Steps warmup_steps, Steps total_steps, f64 floor = 0) {
  detail::check(warmup_steps >= 0 && warmup_steps <= total_steps,
                "warmup_linear: 0 <= warmup_steps <= total_steps");
  return Schedule({.kind = detail::Kind::warmup_linear,
                   .base = peak,
                   .value = {floor},
                   .number = {warmup_steps, total_steps}});
}

// LambdaLR: lr * function(step). The function is a pointer or captures nothing.
constexpr Schedule lambda(f64 lr, f64 (*function)(i64)) {
  detail::check(function != nullptr, "lambda: the function is null");
  return Schedule({.kind = detail::Kind::lambda, .base = lr, .function = function});
}
template <class F>
requires(std::is_empty_v<F>&& std::is_invocable_r_v<f64, F, i64>) constexpr Schedule lambda(f64 lr, F) {
  return lambda(
      lr, +[](i64 step) { return static_cast<f64>(F{}(step)); });
}

WEFT_REFUSAL(ScheduleCapturesNothing,
             "schedule::lambda: the function takes the step and captures nothing, [](i64 step) { return ...; "
             "}: make numbers constexpr, or set the rate before a step by trainer.set_lr(lr)");
template <class F>
requires(!std::is_empty_v<F> && !std::is_convertible_v<F, f64 (*)(i64)>) constexpr Schedule
    lambda(f64 lr, const F&) {
  static_assert(sizeof(ScheduleCapturesNothing<sizeof(F) == 0, F>) > 0);
  return lr;
}

WEFT_REFUSAL(
    ScheduleTakes,
    "a schedule takes the rate and then its steps, and is the optimiser's: .lr = cosine(lr, t_max), "
    "step(lr, step_size), exponential(lr, gamma), one_cycle(max_lr, total_steps), "
    "warmup_cosine(peak, warmup_steps, total_steps), lambda(lr, [](i64 step) { return 1.0 / double(1 + "
    "step); })");
#define WEFT_SCHEDULE(name, least)                                                                      \
  template <class... A>                                                                                 \
  requires(sizeof...(A) < least && (std::is_arithmetic_v<A> && ...)) constexpr Schedule name(A...) {    \
    static_assert(sizeof(ScheduleTakes<(sizeof...(A) > least), A...>) > 0);                             \
    return 0;                                                                                           \
  }                                                                                                     \
  template <class O, class... A>                                                                        \
  requires(std::is_class_v<O> && !std::is_convertible_v<O, f64>) constexpr Schedule name(const O&,      \
                                                                                         const A&...) { \
    static_assert(sizeof(ScheduleTakes<sizeof(O) == 0, O, A...>) > 0);                                  \
    return 0;                                                                                           \
  }
WEFT_SCHEDULE(lambda, 2)
WEFT_SCHEDULE(step, 2)
WEFT_SCHEDULE(multistep, 2)
WEFT_SCHEDULE(exponential, 2)
WEFT_SCHEDULE(cosine, 2)
WEFT_SCHEDULE(cosine_restarts, 2)
WEFT_SCHEDULE(one_cycle, 2)
WEFT_SCHEDULE(cyclic, 2)
WEFT_SCHEDULE(warmup_cosine, 3)
WEFT_SCHEDULE(warmup_linear, 3)
#undef WEFT_SCHEDULE

WEFT_REFUSAL(
    ScheduleIsNamed,
    "schedules have names in small letters and the rate in front: .lr = schedule::cosine(lr, t_max), "
    "step(lr, step_size), multistep(lr, {30, 80}), exponential(lr, gamma), one_cycle(max_lr, total_steps), "
    "sequential({a, b}, {1000})");
#define WEFT_SCHEDULE(name)                                                           \
  template <class... A>                                                               \
  constexpr auto name(const A&...) {                                                  \
    static_assert(sizeof(ScheduleIsNamed<(sizeof...(A) > 1024), spelled::name>) > 0); \
    return Schedule();                                                                \
  }
WEFT_SCHEDULE(StepLR)
WEFT_SCHEDULE(MultiStepLR)
WEFT_SCHEDULE(ExponentialLR)
WEFT_SCHEDULE(CosineAnnealingLR)
WEFT_SCHEDULE(CosineAnnealingWarmRestarts)
WEFT_SCHEDULE(OneCycleLR)
WEFT_SCHEDULE(CyclicLR)
WEFT_SCHEDULE(LinearLR)
WEFT_SCHEDULE(ConstantLR)
WEFT_SCHEDULE(PolynomialLR)
WEFT_SCHEDULE(LambdaLR)
WEFT_SCHEDULE(SequentialLR)
WEFT_SCHEDULE(MultiplicativeLR)
WEFT_SCHEDULE(ChainedScheduler)
#undef WEFT_SCHEDULE

// SequentialLR: parts[i] holds from milestones[i - 1] on and counts its own steps from there. One milestone
// less than parts, rising; at most 4 parts in all, parts of parts counted.
constexpr Schedule sequential(std::initializer_list<Schedule> parts, std::initializer_list<i64> milestones) {
  detail::check(parts.size() == milestones.size() + 1, "sequential: one milestone less than schedules");
  Schedule result;
  result.count_ = 0;
  i64 start = 0;
  const i64* milestone = milestones.begin();
  for (const Schedule& part : parts) {
    for (int i = 0; i < part.count_; ++i) {
      const i64 begin = start + part.begin_[i];
      // A piece that would begin after the next schedule takes over never holds.
      if (milestone != milestones.end() && begin >= *milestone && i > 0) continue;
      detail::check(result.count_ < max_pieces, "sequential: at most 4 schedules");
      result.pieces_[result.count_] = part.pieces_[i];
      result.begin_[result.count_] = begin;
      result.origin_[result.count_] = start + part.origin_[i];
      ++result.count_;
    }
    if (milestone == milestones.end()) continue;
    detail::check(*milestone >= start, "sequential: the milestones must rise");
    start = *milestone++;
  }
  return result;
}
WEFT_REFUSAL(PartsAreBraced,
             "sequential takes its schedules and its milestones in braces: sequential({constant(1e-3, 0.1, "
             "10), cosine(1e-3, 90)}, {10})");
template <class... A>
requires(sizeof...(A) > 0) constexpr Schedule sequential(const Schedule&, const A&...) {
  static_assert(sizeof(PartsAreBraced<sizeof...(A) == 0, Schedule, A...>) > 0);
  return {};
}
template <class... A>
constexpr Schedule sequential(const Schedule&, const Schedule&, std::initializer_list<i64>) {
  static_assert(sizeof(PartsAreBraced<(sizeof...(A) > 1024), Schedule>) > 0);
  return {};
}

}  // namespace WEFT_NAMESPACE::schedule
