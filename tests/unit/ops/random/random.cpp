#include "weft/ops/random/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "weft/exec/function.hpp"
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
