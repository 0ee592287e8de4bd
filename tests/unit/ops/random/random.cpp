#include "weft/ops/random/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
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
