#include "weft/optim/lbfgs.hpp"

#include <doctest/doctest.h>

using weft::f32;
using weft::f64;
using namespace weft::optim;

namespace {

// Rosenbrock's function: least, 0, at (1, 1).
f64 rosenbrock(const std::vector<f32>& x, std::vector<f32>& g) {
  const f64 a = static_cast<f64>(x[0]), b = static_cast<f64>(x[1]), c = b - a * a;
  g[0] = static_cast<f32>(-400 * a * c - 2 * (1 - a));
  g[1] = static_cast<f32>(200 * c);
  return 100 * c * c + (1 - a) * (1 - a);
}

}  // namespace

TEST_CASE("lbfgs: the line search finds the end of a curved valley") {
  std::vector<f32> x{-1.2f, 1};
  LbfgsSearch search({.max_iter = 60, .line_search = LineSearch::strong_wolfe});
  CHECK(search.step(x, rosenbrock) == doctest::Approx(24.2).epsilon(1e-6));
  CHECK(x[0] == doctest::Approx(1).epsilon(1e-3));
  CHECK(x[1] == doctest::Approx(1).epsilon(1e-3));
  CHECK(search.evaluations() < 75);
}

TEST_CASE("lbfgs: a quadratic of n unknowns is solved in a few more than n iterations") {
  std::vector<f32> x(6, 1);
  LbfgsSearch search({.max_iter = 20, .line_search = LineSearch::strong_wolfe});
  search.step(x, [](const std::vector<f32>& at, std::vector<f32>& g) {
    f64 loss = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const f64 weight = static_cast<f64>(i + 1), d = static_cast<f64>(at[i]) - static_cast<f64>(i);
      loss += 0.5 * weight * d * d;
      g[i] = static_cast<f32>(weight * d);
    }
    return loss;
  });
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(x[i] == doctest::Approx(static_cast<double>(i)).epsilon(1e-3));
  CHECK(search.evaluations() <= 25);
}

TEST_CASE("lbfgs: a place without slope is left alone") {
  std::vector<f32> x{1, 1};
  LbfgsSearch search(LBFGS{});
  CHECK(search.step(x, rosenbrock) == 0);
  CHECK(x == std::vector<f32>{1, 1});
  CHECK(search.evaluations() == 1);
  CHECK_THROWS(LbfgsSearch({.history_size = 0}));
}
