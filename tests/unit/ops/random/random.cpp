#include "weft/ops/random/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "weft/exec/function.hpp"

using namespace weft;
using weft::testing::test_device;

namespace {
struct Moments {
  double mean = 0, variance = 0, least = 1e300, most = -1e300;
};
template <class V>
Moments moments(const V& v) {
  Moments m;
  const std::vector<f32> x(v.begin(), v.end());
  for (const f32 e : x) {
    m.mean += static_cast<double>(e);
    m.least = std::fmin(m.least, static_cast<double>(e));
    m.most = std::fmax(m.most, static_cast<double>(e));
  }
  m.mean /= static_cast<double>(x.size());
  for (const f32 e : x) m.variance += std::pow(static_cast<double>(e) - m.mean, 2);
  m.variance /= static_cast<double>(x.size());
  return m;
}
}  // namespace

TEST_CASE("random: uniform and normal numbers have the moments of their distributions") {
  constexpr double n = 40000;
  auto f = compile(
      test_device(),
      [](auto x) {
        return std::tuple{rand<f32, 200, 200>(), randn<f32, 200, 200>(), rand_like(x), randn_like(x),
                          cast<f32>(randint<i64, 200, 200>(-3, 5))};
      },
      in<f32, 200, 200>);
  const std::vector<f32> zero(40000);
  const auto [u, g, like, normal_like, whole] = f(zero);
  for (const Moments& m : {moments(u), moments(like)}) {
    CHECK(std::fabs(m.mean - 0.5) < 5 * std::sqrt(1 / 12.0 / n));
    CHECK(std::fabs(m.variance - 1 / 12.0) < 5 * std::sqrt(1 / 180.0 / n));
    CHECK(m.least >= 0);
    CHECK(m.most < 1);
  }
  for (const Moments& m : {moments(g), moments(normal_like)}) {
    CHECK(std::fabs(m.mean) < 5 / std::sqrt(n));
    CHECK(std::fabs(m.variance - 1) < 5 * std::sqrt(2 / n));
  }
  const Moments m = moments(whole);
  CHECK(m.least == -3);
  CHECK(m.most == 4);
  CHECK(std::fabs(m.mean - 0.5) < 5 * std::sqrt(63 / 12.0 / n));
}
