#include "weft/optim/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "../../parity/schedules.hpp"

using namespace weft::schedule;
namespace reference = schedule_reference;
using weft::i64;

namespace {

// 1e-6 relative: the rates are rounded to f32. A rate that is 0 may differ by the rounding of a cosine in
// f64.
template <std::size_t N>
void check(const Schedule& schedule, const double (&expected)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    const double found = schedule(static_cast<i64>(i));
    CAPTURE(i);
    CAPTURE(found);
    CAPTURE(expected[i]);
    CHECK(std::fabs(found - expected[i]) <= 1e-6 * std::fabs(expected[i]) + 1e-15);
  }
}

double tenth(i64 step) { return step == 0 ? 1.0 : 0.1; }

struct Optimizer {
  Schedule lr = 1e-3f;
  float weight_decay = 0;
};

}  // namespace

TEST_CASE("schedule: equals PyTorch's constant, linear, step, multistep, exponential and polynomial") {
  check(constant(0.05, 1.0 / 3, 5), reference::constant_factor);
  check(linear(0.05, 0.25, 0.75, 9), reference::linear);
  check(linear(0.05), reference::linear_default);
  check(step(0.05, 7, 0.3), reference::step);
  check(multistep(0.05, {4, 9, 9, 30}, 0.5), reference::multistep);
  check(exponential(0.05, 0.9), reference::exponential);
  check(polynomial(0.05, 30, 2.5), reference::polynomial);
}

TEST_CASE("schedule: equals PyTorch's cosine annealing, with and without restarts") {
  check(cosine(0.05, 15, 1e-4), reference::cosine);
  check(cosine_restarts(0.05, 7, 1, 1e-3), reference::cosine_restarts);
  check(cosine_restarts(0.05, 5, 2), reference::cosine_restarts_2);
}

TEST_CASE("schedule: equals PyTorch's OneCycleLR in every mode") {
  check(one_cycle(0.1, 40), reference::one_cycle);
  check(one_cycle(0.1, 40,
                  {.pct_start = 0.37, .anneal = Anneal::linear, .div_factor = 10, .final_div_factor = 100}),
        reference::one_cycle_linear);
  check(one_cycle(0.1, 40, {.three_phase = true}), reference::one_cycle_three);
  check(one_cycle(0.1, 40, {.anneal = Anneal::linear, .three_phase = true}),
        reference::one_cycle_three_linear);
  CHECK(one_cycle(0.1, 40)(1000) == one_cycle(0.1, 40)(39));
}

TEST_CASE("schedule: equals PyTorch's CyclicLR in every mode") {
  check(cyclic(0.001, 0.01, {.step_size_up = 5}), reference::cyclic);
  check(cyclic(0.001, 0.01, {.step_size_up = 4, .step_size_down = 7, .mode = Cycle::triangular2}),
        reference::cyclic_2);
  check(cyclic(0.001, 0.01, {.step_size_up = 5, .mode = Cycle::exp_range, .gamma = 0.97}),
        reference::cyclic_exp);
}

TEST_CASE("schedule: warm-up, then a cosine or a line, as transformers defines them") {
  check(warmup_cosine(0.05, 6, 30), reference::warmup_cosine);
  check(warmup_cosine(0.05, 6, 30, 0.005), reference::warmup_cosine_floor);
  check(warmup_linear(0.05, 6, 30), reference::warmup_linear);
  CHECK(warmup_cosine(0.05, 0, 30)(0) == 0.05f);
  CHECK(warmup_cosine(0.05, 30, 30, 0.01)(30) == 0.01f);
}

TEST_CASE("schedule: one cycle that rises within a step begins at its top") {
  const auto rate = weft::schedule::one_cycle(0.1, 100, {.pct_start = 0.01});
  CHECK(rate(0) == doctest::Approx(0.1));
  CHECK(rate(1) < 0.1f);
}

TEST_CASE("schedule: a function of the step") {
  check(lambda(0.05, [](i64 t) { return 1.0 / (1.0 + static_cast<double>(t)); }), reference::lambda);
  CHECK(lambda(2, tenth)(0) == 2.0f);
  CHECK(lambda(2, tenth)(1) == 0.2f);
}

TEST_CASE("schedule: equals PyTorch's SequentialLR") {
  const auto warm = linear(0.05, 0.1, 1, 6);
  const auto fall = cosine(0.05, 20, 1e-3);
  const auto tail = exponential(0.05, 0.8);
  check(sequential({warm, fall, tail}, {6, 25}), reference::sequential);
  check(sequential({sequential({warm, fall}, {6}), tail}, {25}), reference::sequential);
  check(sequential({warm, sequential({fall, tail}, {19})}, {6}), reference::sequential);
}

TEST_CASE("schedule: a part that the next one cuts short does not come back") {
  const auto inner = sequential({constant(1), constant(2)}, {10});
  const auto cut = sequential({inner, constant(3)}, {5});
  CHECK(cut(4) == 1);
  CHECK(cut(5) == 3);
  CHECK(cut(12) == 3);
}

TEST_CASE("schedule: a number is a schedule, in the place where an optimiser holds it") {
  static_assert(std::is_trivially_copyable_v<Schedule>);
  const Optimizer plain{.lr = 0.5f};
  CHECK(plain.lr(0) == 0.5f);
  CHECK(plain.lr(1'000'000'000'000) == 0.5f);
  CHECK(plain.lr.is_constant());
  CHECK(Optimizer{}.lr(3) == 1e-3f);
  const Optimizer moving{.lr = exponential(1, 0.5)};
  CHECK(moving.lr(2) == 0.25f);
  CHECK_FALSE(moving.lr.is_constant());
  constexpr Schedule at_compile_time = warmup_cosine(1e-3, 10, 100);
  CHECK(at_compile_time(10) == 1e-3f);
}

TEST_CASE("schedule: wrong arguments are refused") {
  const auto id = [](auto make) -> std::string {
    try {
      make();
    } catch (const weft::Error& error) {
      return error.id();
    }
    return "";
  };
  const std::string bad = "schedule/bad-argument";
  CHECK(id([] { return step(1, 0); }) == bad);
  CHECK(id([] { return linear(1, 0.5, 1, 0); }) == bad);
  CHECK(id([] { return linear(0.1, 100); }) == bad);  // its steps for its factor
  CHECK(id([] { return linear(1, 0); }) == bad);
  CHECK(id([] { return linear(1, 0.5, 1.5); }) == bad);
  CHECK(id([] { return linear(1, 0.5, -0.5); }) == bad);
  CHECK(id([] { return constant(1, 1.5, 5); }) == bad);
  CHECK(id([] { return constant(1, -0.5, 5); }) == bad);
  CHECK(id([] { return cosine(1, 0); }) == bad);
  CHECK(id([] { return cosine_restarts(1, 3, 0); }) == bad);
  CHECK(id([] { return one_cycle(1, 10, {.pct_start = 1.5}); }) == bad);
  CHECK(id([] { return one_cycle(1, 10, {.div_factor = 0}); }) == bad);
  CHECK(id([] { return warmup_cosine(1, 11, 10); }) == bad);
  CHECK(id([] { return multistep(1, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}); }) == bad);
  CHECK(id([] { return sequential({constant(1), constant(2)}, {}); }) == bad);
  CHECK(id([] { return sequential({constant(1), constant(2), constant(3)}, {5, 4}); }) == bad);
  CHECK(id([] { return lambda(1, static_cast<double (*)(i64)>(nullptr)); }) == bad);
  CHECK(id([] { return step(1e-3, 0.1, 30); }) == bad);  // its factor for its steps
  CHECK(id([] { return warmup_cosine(1e-3, 0.05 * 1234, 1234); }) == bad);
  CHECK(id([] { return cosine_restarts(1, 10, 1.5); }) == bad);
  CHECK(id([] { return cosine(1, 1e300); }) == bad);
}

TEST_CASE("schedule: steps may be floating numbers that are whole") {
  const Schedule share = warmup_cosine(1e-3, 0.1 * 1000, 1e3f), whole = warmup_cosine(1e-3, 100, 1000);
  const Schedule line = linear(1, 0.5, 1, 20.0), cycle = one_cycle(1, 50.0);
  for (i64 k = 0; k < 1100; k += 7) {
    CHECK(share(k) == whole(k));
    CHECK(line(k) == linear(1, 0.5, 1, 20)(k));
    CHECK(cycle(k % 50) == one_cycle(1, 50)(k % 50));
  }
}
