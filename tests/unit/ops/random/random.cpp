#include "weft/ops/random/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/device.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/stack.hpp"
#include "weft/ops.hpp"

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
struct AddNoise {
  constexpr auto operator()(auto x, auto noise) const { return x + noise; }
};
template <int PerMillion>
struct Drops {
  constexpr auto operator()(auto x) const { return dropout(x, PerMillion * 1e-6); }
};
struct Net {
  nn::Stack<AddNoise, 3> h;
  constexpr auto operator()(auto x) const {
    const auto noise = randn<f32, 64>();
    return std::pair{
        h(x, noise) - 3 * noise,
        vmap<0, unmapped>([](auto a, auto n) { return a + n; })(zeros<f32, 4, 64>() + x, noise) - noise};
  }
};
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

// The bits are compared as integers; the law is that of the numbers that they are.
TEST_CASE("random: dropout keeps where a uniform number is less than the share that is kept") {
  const std::vector<f32> one(4096, 1.0f);
  auto numbers = compile(
      test_device(), [](auto x) { return rand_like(x); }, in<f32, 4096>);
  std::vector<f32> u(one.size()), y(one.size());
  numbers.set_seed(7);
  numbers.into(u)(one);
  const auto holds = [&]<int PerMillion>(std::integral_constant<int, PerMillion>) {
    constexpr double p = PerMillion * 1e-6;
    auto f = compile(test_device(), Drops<PerMillion>{}, in<f32, 4096>);
    f.set_seed(7);
    f.into(y)(one);
    const auto keep = static_cast<f32>(1 - p);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) wrong += (y[i] != 0) != (u[i] < keep);
    CAPTURE(p);
    CHECK(wrong == 0);
  };
  holds(std::integral_constant<int, 1>{});
  holds(std::integral_constant<int, 100000>{});
  holds(std::integral_constant<int, 300000>{});
  holds(std::integral_constant<int, 500000>{});
  holds(std::integral_constant<int, 900001>{});
  holds(std::integral_constant<int, 999999>{});
  auto all = compile(
      test_device(), [](auto x) { return dropout(x, 1e-12); }, in<f32, 4096>);
  all.into(y)(one);
  for (const f32 e : y) CHECK(e == 1);  // as f32 the share is 1, which every number is less than
}

// What PyTorch's tensors do: a name is one value.
TEST_CASE("random: numbers with a name are the same wherever they are used") {
  auto f = compile(
      test_device(),
      [](auto x) {
        const auto noise = randn<f32, 64>();
        const auto wide = 2 * noise + 1;  // made of a copy
        const auto noised = x + wide;
        const auto walk = loop<3>([&](auto c) { return c + noise; }, x);
        const auto shared = vmap([&](auto c) { return c + noise; })(zeros<f32, 3, 64>() + x);
        auto next = rand<f32, 64>();
        const auto before = x + next;
        next = rand<f32, 64>();
        const auto order = randperm<i64, 64>();
        const auto slope = grad([&](auto v) { return sum<>(v * v * noise); })(x);
        return std::tuple{noised - 2 * noise,
                          walk - 3 * noise,
                          select<0, 0>(shared) - select<0, 2>(shared),
                          before - next,
                          noise,
                          index_select<0>(x, order) - index_select<0>(x, order),
                          slope - 2 * x * noise};
      },
      in<f32, 64>);
  std::vector<f32> x(64);
  for (std::size_t k = 0; k < 64; ++k) x[k] = static_cast<f32>(k) / 8;
  const auto [noised, walk, shared, renewed, noise, order, slope] = f(x);
  f32 most = 0;
  for (i64 k = 0; k < 64; ++k) {
    CHECK(noised[k] == doctest::Approx(x[static_cast<std::size_t>(k)] + 1).epsilon(1e-5));
    CHECK(walk[k] == doctest::Approx(x[static_cast<std::size_t>(k)]).epsilon(1e-5));
    CHECK(shared[k] == 0);
    CHECK(order[k] == 0);
    CHECK(std::fabs(slope[k]) < 1e-4f);
    most = std::fmax(most, std::fabs(renewed[k]));
  }
  CHECK(most > 0.1f);  // two names, two draws
  CHECK(moments(noise).variance > 0.3);
}

TEST_CASE("random: a literal that all samples and blocks are given is one value") {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& net, auto v) { return net(v); }, in<f32, 64>);
  const std::vector<f32> x(64, 2.0f);
  const auto [stacked, mapped] = f(x);
  for (i64 k = 0; k < 64; ++k) CHECK(stacked[k] == doctest::Approx(2).epsilon(1e-5));
  for (i64 k = 0; k < 256; ++k) CHECK(mapped[k] == doctest::Approx(2).epsilon(1e-5));
}

TEST_CASE("random: dropout by a rate of the run drops what the number drops, of tensors and of values") {
  const auto all = [](auto rate) {
    return [](auto x, auto p) {
      const auto by_number = dropout(x, decltype(rate)::value / 8.0f);
      return std::tuple{by_number, grad([](auto v, auto q) { return sum<>(dropout(v, q) * v); })(x, p),
                        dropout(x, p)};
    };
  };
  std::vector<f32> x(4096);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<f32>(i % 7);
  const auto check = [&](auto rate) {
    auto f = compile(test_device(), all(rate), in<f32, 4096>, in<f32>);
    const f32 p = decltype(rate)::value / 8.0f;
    const auto [number, gradient, run] = f(x, p);
    i64 kept = 0, kept_by_number = 0;
    for (i64 i = 0; i < 4096; ++i) {
      const f32 whole = x[static_cast<std::size_t>(i)] / (p < 1 ? 1 - p : 1);
      CHECK((run[i] == 0 || run[i] == doctest::Approx(whole)));
      CHECK((gradient[i] == 0 || gradient[i] == doctest::Approx(2 * whole)));
      kept += run[i] != 0;
      kept_by_number += number[i] != 0;
    }
    const f64 share = 1 - p;
    CHECK(static_cast<f64>(kept) / 4096 == doctest::Approx(share).epsilon(0.06));
    CHECK(static_cast<f64>(kept_by_number) / 4096 == doctest::Approx(share).epsilon(0.06));
  };
  check(std::integral_constant<int, 0>{});
  check(std::integral_constant<int, 3>{});
  check(std::integral_constant<int, 8>{});
}

TEST_CASE("random: the same draw drops the same elements by a number and by a rate of the run") {
  auto by_number = compile(
      test_device(), [](auto x) { return dropout(x, 0.1f); }, in<f32, 64, 64>);
  auto by_value = compile(
      test_device(), [](auto x, auto p) { return dropout(x, p); }, in<f32, 64, 64>, in<f32>);
  by_number.set_seed(7);
  by_value.set_seed(7);
  const std::vector<f32> ones(64 * 64, 1);
  const auto a = by_number(ones), b = by_value(ones, 0.1f);
  i64 dropped = 0;
  for (i64 i = 0; i < 64; ++i)
    for (i64 k = 0; k < 64; ++k) {
      CHECK(a(i, k) == doctest::Approx(b(i, k)));
      dropped += a(i, k) == 0;
    }
  CHECK(dropped > 300);
  CHECK(dropped < 520);
}

TEST_CASE("random: dropout of a run-time tensor") {
  const Tensor<f32, Shape<4096>> x = ones<f32, 4096>();
  const Tensor<f32, Shape<4096>> y = dropout(x, 0.25f);
  i64 kept = 0;
  for (const f32 e : y) {
    CHECK((e == 0 || e == doctest::Approx(1 / 0.75)));
    kept += e != 0;
  }
  CHECK(kept > 2900);
  CHECK(kept < 3250);
  CHECK_THROWS_AS((Tensor<f32, Shape<4096>>(dropout(x, 1.5f))), Error);
  CHECK_THROWS_AS((Tensor<f32, Shape<4096>>(dropout(x, -1))), Error);
}

TEST_CASE("random: randint of one bound begins at 0") {
  auto f = compile(test_device(), [] {
    return std::tuple{randint<i64, 4096>(10), randint<i64, 4096>(0, 10)};
  });
  f.set_seed(3);
  const auto [one, two] = f();
  i64 least = 10, most = 0;
  for (i64 i = 0; i < 4096; ++i) {
    least = std::min<i64>(least, one[i]);
    most = std::max<i64>(most, one[i]);
  }
  CHECK(least == 0);
  CHECK(most == 9);
  CHECK(two[0] >= 0);
}

namespace {
template <class T>
void check_drawn(const std::vector<T>& drawn, double low, double high) {
  double mean = 0;
  i64 outside = 0;
  for (const T x : drawn) {
    outside += static_cast<double>(x) < low || static_cast<double>(x) >= high ? 1 : 0;
    mean += static_cast<double>(x) / static_cast<double>(drawn.size());
  }
  CHECK(outside == 0);
  // five deviations of a mean of uniform numbers
  const double deviation = (high - low) / std::sqrt(12.0 * static_cast<double>(drawn.size()));
  CHECK(std::fabs(mean - (low + high) / 2) < 5 * deviation + 1);
}
}  // namespace

TEST_CASE("random: integers of ranges that 32 bits do not hold") {
  constexpr i64 n = 20000, billion = 1000000000;
  auto f = compile(
      test_device(),
      [](auto low, auto high) {
        return std::tuple{
            randint<i64, n>(0, 5 * billion / 2),        randint<i64, n>(-3 * billion, 3 * billion),
            randint<i64, n>(0, i64{1} << 32),           randint<i64, n>(0, i64{1} << 62),
            randint<i32, n>(-2 * billion, 2 * billion), randint<i64, n>(low, high)};
      },
      in<i64>, in<i64>);
  const auto [a, b, c, d, e, g] = f(-4 * billion, 4 * billion);
  check_drawn(a.to_vector(), 0, 2.5e9);
  check_drawn(b.to_vector(), -3e9, 3e9);
  check_drawn(c.to_vector(), 0, 4294967296.0);
  check_drawn(d.to_vector(), 0, 4611686018427387904.0);
  check_drawn(e.to_vector(), -2e9, 2e9);
  check_drawn(g.to_vector(), -4e9, 4e9);
  const std::vector<i64> wide = d.to_vector();
  CHECK(std::any_of(wide.begin(), wide.end(), [](i64 x) { return x % 2 != 0; }));
  check_drawn(std::get<5>(f(i64{3}, i64{9})).to_vector(), 2.5, 8.5 + 0.5);
  check_drawn(Tensor<i64, Shape<n>>(randint<i64, n>(0, 3 * billion)).to_vector(), 0, 3e9);
  CHECK_THROWS_WITH((Tensor<i64, Shape<2>>(
                        randint<i64, 2>(std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()))),
                    doctest::Contains("tensor/number-range"));
}

TEST_CASE("random: uniform numbers of small floats stay below 1") {
  constexpr i64 n = 60000;
  auto f = compile(test_device(), [] {
    return std::tuple{rand<f16, n>(), rand<bf16, n>(), rand<f8e4m3, n>(), rand<f8e5m2, n>(), rand<f32, n>()};
  });
  std::apply(
      [](const auto&... drawn) {
        const auto check = [](const auto& values, double step) {
          double mean = 0;
          bool below = true, multiples = true;
          for (const auto x : values.to_vector()) {
            const double v = static_cast<double>(static_cast<f32>(x));
            mean += v / n;
            below = below && v >= 0 && v < 1;
            multiples = multiples && v / step == std::floor(v / step);
          }
          CHECK(below);
          CHECK(multiples);
          CHECK(std::fabs(mean - (0.5 - step / 2)) < 0.008);
        };
        const double steps[]{1.0 / 2048, 1.0 / 256, 1.0 / 16, 1.0 / 8, 1.0 / 16777216};
        int k = 0;
        (check(drawn, steps[k++]), ...);
      },
      f());
  const Tensor<bf16, Shape<n>> like = rand_like(zeros<bf16, n>());
  const auto v = like.to_vector();
  CHECK(std::all_of(v.begin(), v.end(), [](bf16 x) { return static_cast<f32>(x) < 1; }));
}
