#include "weft/ops/core/traced_members.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/movement.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;
using weft::testing::test_device;

TEST_CASE("traced_members: a value says its extents, its size and its rank") {
  auto f = compile(
      test_device(),
      [](auto x) {
        static_assert(x.numel() == 6 && x.dim() == 2 && x.extent(0) == 2 && x.extent(-1) == 3);
        return reshape<x.extent(1), x.extent(0)>(+x) * x.extent(0) + x.numel();
      },
      in<f32, 2, 3>);
  const auto y = f(std::vector<f32>{0, 1, 2, 3, 4, 5});
  CHECK(y(2, 1) == 5 * 2 + 6);
}

TEST_CASE(
    "traced_members: the number of elements is a constant, a number beside tensors, and may be called") {
  auto f = compile(
      test_device(),
      [](auto x) {
        static_assert(decltype(x)::size == 6 && x.size() == 6);
        const auto line = reshape<decltype(x)::size>(x);
        return std::tuple{x / x.size, line + x.size() * x.size, where(x > 2, x, x.size)};
      },
      in<i32, 2, 3>);
  const auto [quotient, sum, most] = f(std::vector<i32>{0, 6, 12, 1, 2, 3});
  CHECK(quotient(0, 1) == 1.0f);  // a true division, as of any integers
  CHECK(sum(2) == 48);
  CHECK((most(0, 0) == 6 && most(0, 2) == 12 && most(1, 1) == 6));
}

// What overload resolution may ask of a value is no error: only what is chosen is refused.
using X = Expr<f32, Shape<2, 3>>;
static_assert(std::is_convertible_v<X, float> && !std::is_convertible_v<X, const char*>);
constexpr int chosen(float) { return 0; }
template <class T, class S>
constexpr int chosen(const Expr<T, S>&) {
  return 1;
}
static_assert(chosen(X{}) == 1 && chosen(1.0f) == 0);

// A program's own helpers, by names that weft has to refuse alone.
inline constexpr auto swish = [](auto x) { return x * sigmoid(x); };
constexpr int tensor = 3, scan = 2, from_blob = 0;
constexpr auto power(auto x, int n) { return pow(x, n); }
template <int Axis>
constexpr auto inverse(const auto& x) {
  return 1 / sum<Axis>(x, keepdim);
}
constexpr auto cond(auto x, auto y) { return where(x > 0, x, y); }

TEST_CASE("traced members: a program's own functions and variables come before the names that are refused") {
  static_assert(tensor + scan + from_blob == 5);
  auto f = compile(
      Cpu{},
      [](auto x) {
        const auto squares = [](auto v) { return sum<>(square(v)); };
        return std::tuple{swish(x), grad(squares)(x), power(x, 3), inverse<0>(x), cond(x, -x)};
      },
      in<f32, 2>);
  const auto [a, b, c, d, e] = f(std::vector<f32>{1, -3});
  CHECK(a(1) == doctest::Approx(-3 / (1 + std::exp(3.0))));
  CHECK(b(1) == -6);
  CHECK(c(1) == -27);
  CHECK(d(0) == -0.5f);
  CHECK(e(1) == 3);
}
