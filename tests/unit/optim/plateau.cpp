#include "weft/optim/plateau.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../../parity/schedules.hpp"

using weft::schedule::PlateauMode;
using weft::schedule::PlateauThreshold;
using weft::schedule::ReduceOnPlateau;
namespace reference = schedule_reference;

namespace {

template <std::size_t N>
void check(ReduceOnPlateau plateau, double (*metric)(double), const double (&expected)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    const double found = plateau.step(metric(reference::metrics[i]));
    CAPTURE(i);
    CHECK(std::fabs(found - expected[i]) <= 1e-6 * expected[i]);
  }
}
double same(double m) { return m; }
double negated(double m) { return -m; }
double inverse(double m) { return 1 / m; }

}  // namespace

TEST_CASE("plateau: equals PyTorch's ReduceLROnPlateau") {
  check({.lr = 0.05, .factor = 0.5, .patience = 2}, same, reference::plateau);
  check({.lr = 0.05, .factor = 0.3, .patience = 1, .cooldown = 3, .min_lr = 1e-3}, same,
        reference::plateau_cooldown);
  check({.lr = 0.05,
         .mode = PlateauMode::max,
         .factor = 0.5,
         .patience = 2,
         .threshold = 0.05,
         .threshold_mode = PlateauThreshold::abs},
        negated, reference::plateau_max_abs);
  check({.lr = 0.05, .mode = PlateauMode::max, .factor = 0.7, .patience = 0, .eps = 1e-3}, inverse,
        reference::plateau_max_rel);
}

TEST_CASE("plateau: a restored object goes on as the saved one") {
  ReduceOnPlateau whole{.lr = 0.05, .factor = 0.5, .patience = 2};
  ReduceOnPlateau first = whole;
  for (int i = 0; i < 9; ++i) first.step(reference::metrics[i]);
  ReduceOnPlateau second{.lr = 1, .factor = 0.5, .patience = 2};
  second.restore(first.state());
  CHECK(second.lr == first.lr);
  for (int i = 0; i < 30; ++i) {
    const float expected = whole.step(reference::metrics[i]);
    if (i >= 9) CHECK(second.step(reference::metrics[i]) == expected);
  }
}

TEST_CASE("plateau: a factor that does not lower and a rate that is not positive are refused") {
  CHECK_THROWS_AS((ReduceOnPlateau{.lr = 0.05, .factor = 1}.step(1)), weft::Error);
  CHECK_THROWS_AS((ReduceOnPlateau{.factor = 0.5}.step(1)), weft::Error);
}
