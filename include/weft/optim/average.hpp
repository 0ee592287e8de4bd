#pragma once
// Averages of the weights, kept beside them by the update itself: ema(optimiser, decay), swa(optimiser,
// {start, every}), as torch.optim.swa_utils' AveragedModel. Law: the first value taken is the weights
// themselves; trainer.average() gives the model of the averages, the trained one continues unchanged.

#include "weft/core/diagnose.hpp"
#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

// average += (1 - decay) (weights - average) at every update.
struct Ema {
  static constexpr std::string_view name = "ema";
  float decay = 0.999f;  // share of the average that stays at an update

  void fill(f32* n) const {
    n[0] = 1;
    n[1] = 1;
    n[2] = static_cast<f32>(1.0 - static_cast<f64>(decay));
  }
  static constexpr Value weight(Value, Value rest) { return rest; }
  i64 first() const { return 1; }
};

// The equal mean of the weights after update `start` (counted from 1) and after every `every`-th from there.
struct Swa {
  static constexpr std::string_view name = "swa";
  i64 start = 1;  // first update whose weights count, from 1
  i64 every = 1;  // updates from one that counts to the next

  void fill(f32* n) const {
    n[0] = static_cast<f32>(start);
    n[1] = static_cast<f32>(every);
    n[2] = 0;
  }
  static constexpr Value weight(Value taken, Value) { return 1.0 / (taken + 1.0); }
  i64 first() const { return start; }
};

template <class O, class Rule>
constexpr auto averaged(const O& optimizer, Rule rule);

template <class O, class Rule>
struct Averaged : O {
  using wrapped = O;
  static constexpr std::string_view wrapper = Rule::name;
  Rule rule{};

  static constexpr int moments = O::moments + 1;
  static constexpr int numbers = O::numbers + 3;
  static_assert(sizeof(WrappersFit<(moments <= most_moments && numbers <= most_numbers), Averaged>) > 0);
  // The same around f(what it is around).
  template <class F>
  constexpr auto around(F f) const {
    return averaged(f(static_cast<const O&>(*this)), rule);
  }
  // Which of the moments is the average.
  static constexpr int average = O::moments;

  void fill(i64 step, f32* n) const {
    O::fill(step, n);
    rule.fill(n + O::numbers);
  }
  void fill_others(i64 step, f32* n) const requires requires { &O::fill_others; }
  {
    O::fill_others(step, n);
    rule.fill(n + O::numbers);
  }
  static constexpr void update(Update& u) requires requires { O::update(u); }
  {
    O::update(u);
    take(u);
  }
  static constexpr void update_matrix(Update& u) requires requires { O::update_matrix(u); }
  {
    O::update_matrix(u);
    take(u);
  }
  static constexpr void update_tensor(Update& u) requires requires { O::update_tensor(u); }
  {
    O::update_tensor(u);
    take(u);
  }

 private:
  static constexpr void take(Update& u) {
    const Value since = u.updates - u.number[O::numbers], every = u.number[O::numbers + 1];
    const Value zero = ir::constant_like(since, 0);
    const Value due = ir::binary(Op::bit_and, ir::binary(Op::le, zero, since),
                                 ir::binary(Op::eq, ir::binary(Op::fmod, since, every), zero));
    const Value part = ir::select(ir::binary(Op::eq, since, zero), ir::constant_like(since, 1),
                                  Rule::weight(since / every, u.number[O::numbers + 2]));
    const Value old = u.moment[average];
    u.moment[average] = ir::select(due, old + (u.parameter - old) * part, old);
  }
};

// Of groups, in each of them.
template <class O, class Rule>
constexpr auto averaged(const O& optimizer, Rule rule) {
  if constexpr (requires { O::group_count; })
    return optimizer.around([&](const auto& inner) { return averaged(inner, rule); });
  else
    return Averaged<O, Rule>{optimizer, rule};
}

// ema(AdamW{}, 0.999f): an exponential average of the weights is kept beside them.
template <class O>
requires(!std::is_arithmetic_v<O>) constexpr auto ema(const O& optimizer, float decay = 0.999f) {
  return averaged(optimizer, Ema{decay});
}
// The same, ema(AdamW{}, {.decay = 0.999f}).
template <class O>
constexpr auto ema(const O& optimizer, Ema rule) {
  return averaged(optimizer, rule);
}
// swa(SGD{}, {.start = 1000, .every = 100}): their mean from an update on.
template <class O>
constexpr auto swa(const O& optimizer, Swa rule = {}) {
  return averaged(optimizer, rule);
}

// Refusals.
WEFT_REFUSAL(
    OptimizerIsFirst,
    "ema and swa: the optimiser is the first argument: write ema(AdamW{}, 0.999f), swa(SGD{}, {.start "
    "= 1000, .every = 100})");
template <class Number, class O>
requires std::is_arithmetic_v<Number>
constexpr Averaged<O, Ema> ema(Number, const O& optimizer) {
  static_assert(sizeof(OptimizerIsFirst<sizeof(O) == 0, Number, O>) > 0);
  return {optimizer, {}};
}
template <class Number>
requires std::is_arithmetic_v<Number>
constexpr auto ema(Number) {
  static_assert(sizeof(OptimizerIsFirst<sizeof(Number) == 0, Number>) > 0);
  return AfterRefusal{};
}
WEFT_REFUSAL(AverageIsNamed,
             "swa: the updates that count are named: write swa(SGD{}, {.start = 1000, .every = 100})");
template <class O, class... Number>
requires(sizeof...(Number) > 0 && (std::is_arithmetic_v<Number> &&
                                   ...)) constexpr Averaged<O, Swa> swa(const O& optimizer, Number...) {
  static_assert(sizeof(AverageIsNamed<sizeof(O) == 0, O>) > 0);
  return {optimizer, {}};
}
template <class O>
constexpr Averaged<O, Swa> swa(const Swa& rule, const O& optimizer) {
  static_assert(sizeof(OptimizerIsFirst<sizeof(O) == 0, Swa, O>) > 0);
  return {optimizer, rule};
}

}  // namespace WEFT_NAMESPACE::optim
