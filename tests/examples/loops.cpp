// The code of docs/loops.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

TEST_CASE("loops: a recurrence over two sequences, with outputs") {
  // [scan]
  auto filter = compile(
      Cpu{},
      [](auto xs, auto gates, auto h) {
        // carry, x, g (8): x and g are the slices of a trip, in the order of the sequences
        const auto step = [](auto carry, auto x, auto g) {
          const auto next = g * carry + (1 - g) * x;
          return std::pair{next, sum<>(next)};  // the next carry, and what is stacked
        };
        return loop(step, h, xs, gates);  // the last carry (8), and the sums (100)
      },
      in<f32, 100, 8>, in<f32, 100, 8>, in<f32, 8>);
  const std::vector<f32> xs(800, 1.0f), gates(800, 0.5f), h(8, 0.0f);
  const auto [last, sums] = filter(xs, gates, h);
  // [/scan]
  CHECK(last[0] == doctest::Approx(1.0));
  CHECK(sums[0] == doctest::Approx(8 * 0.5));
  CHECK(sums[2] == doctest::Approx(8 * 0.875));
}

TEST_CASE("loops: a carry of several values, and gradients through the loop") {
  // [tuple]
  auto orbit = compile(
      Cpu{},
      [](auto position, auto speed) {
        const auto energy = [](auto q0, auto p0) {
          const auto [q_end, p_end] = loop<1000>(
              [](auto state) {  // one carry: a tuple
                const auto [q, p] = state;
                const auto half = p - 0.005f * q;
                const auto next = q + 0.01f * half;
                return std::tuple{next, half - 0.005f * next};
              },
              std::tuple{q0, p0});
          return 0.5f * sum<>(q_end * q_end + p_end * p_end);
        };
        return value_and_grad<0, 1>(energy)(position, speed);  // the body is differentiated once
      },
      in<f32, 3>, in<f32, 3>);
  const auto [total, by_position, by_speed] = orbit(std::vector<f32>{1, 2, 3}, std::vector<f32>{0, 0, 0});
  // [/tuple]
  // a leapfrog's energy is that of the beginning, and so are its derivatives
  CHECK(total.item() == doctest::Approx(7.0).epsilon(1e-3));
  for (int i = 0; i < 3; ++i) CHECK(by_position[i] == doctest::Approx(i + 1.0).epsilon(1e-2));
  for (int i = 0; i < 3; ++i) CHECK(by_speed[i] == doctest::Approx(0.0).epsilon(2e-2).scale(1));
}

TEST_CASE("loops: returns from the end, with reverse_loop") {
  // [reverse]
  auto discount = compile(
      Cpu{},
      [](auto rewards, auto last_value) {
        const auto [first, returns] = reverse_loop(
            [](auto later, auto reward) {
              const auto now = reward + 0.9f * later;
              return std::pair{now, now};
            },
            last_value, rewards);
        return returns;  // returns[t] is reward t and what follows it
      },
      in<f32, 4>, in<f32>);
  const auto returns = discount(std::vector<f32>{1, 0, 0, 1}, 10.0f);
  // [/reverse]
  CHECK(returns[3] == doctest::Approx(10.0));
  CHECK(returns[2] == doctest::Approx(9.0));
  CHECK(returns[0] == doctest::Approx(1 + 0.81 * 9));
}

TEST_CASE("loops: as long as a condition holds") {
  // [while]
  auto root = compile(
      Cpu{},
      [](auto a) {
        return while_loop<50>([a](auto x) { return any<>(abs(x * x - a) > 1e-4f); },
                              [a](auto x) { return 0.5f * (x + a / x); }, a);
      },
      in<f32, 3>);
  const auto x = root(std::vector<f32>{2, 9, 100});
  // [/while]
  CHECK(x[0] == doctest::Approx(std::sqrt(2.0)));
  CHECK(x[1] == doctest::Approx(3.0));
  CHECK(x[2] == doctest::Approx(10.0));
}
