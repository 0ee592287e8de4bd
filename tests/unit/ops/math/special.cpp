#include "weft/ops/math/special.hpp"

#include <cmath>

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/slicing.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("special: functions and their poles, infinities and NaN, as PyTorch") {
  check_group(
      "special",
      [](auto x, auto u, auto a, auto b, auto n, auto by) {
        const auto few = slice<0, 0, 14>(x);
        return std::tuple{lgamma(x),
                          digamma(x),
                          erfinv(u),
                          sinc(few),
                          logit(u, 0.1),
                          xlogy(a, b),
                          xlog1py(a, b),
                          logaddexp2(few, slice<0, 1, 15>(x)),
                          heaviside(x, 0.25),
                          nan_to_num(x),
                          nan_to_num(x, 2, 7, -7),
                          fmax(a, b),
                          fmin(a, b),
                          ldexp(slice<0, 0, 8>(x), slice<0, 0, 1>(by)),
                          isposinf(x),
                          isneginf(x),
                          signbit(x),
                          copysign(a + 1, -slice<0, 0, 7>(x)),
                          deg2rad(x),
                          rad2deg(x),
                          bitwise_left_shift(n, by),
                          bitwise_right_shift(n, by),
                          ~n,
                          ~(n > 0),
                          n & by,
                          lerp(slice<0, 0, 4>(a), slice<0, 2, 6>(x), 0.9)};
      },
      in<f32, 20>, in<f32, 12>, in<f32, 7>, in<f32, 7>, in<i32, 6>, in<i32, 6>);
}

TEST_CASE("special: gradients as PyTorch has them") {
  check_group(
      "special_gradient",
      [](auto x, auto u, auto a, auto b) {
        return std::tuple{
            weighted<0>([](auto v) { return lgamma(v); })(slice<0, 8, 14>(x)),
            weighted<0>([](auto v) { return erfinv(v); })(slice<0, 0, 5>(u)),
            weighted<0>([](auto v) { return sinc(v); })(slice<0, 0, 11>(x)),
            weighted<0>([](auto v, auto w) { return xlogy(v, w); })(slice<0, 2, 4>(a), slice<0, 2, 4>(b) + 1),
            weighted<1>([](auto v, auto w) { return xlogy(v, w); })(slice<0, 0, 4>(a), slice<0, 0, 4>(b) + 1),
            weighted<0>([](auto v) { return nan_to_num(v); })(x),
            weighted<0>([](auto v, auto w) { return copysign(v, w); })(slice<0, 2, 9>(x),
                                                                       -slice<0, 2, 9>(u))};
      },
      in<f32, 20>, in<f32, 12>, in<f32, 7>, in<f32, 7>);
}

TEST_CASE("special: ldexp by a number, a fraction too") {
  auto f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{ldexp(x, 3), ldexp(x, -2), ldexp(x, 0.5), ldexp(x, -1.75)};
      },
      in<f32, 3>);
  const std::vector<float> x{1, -3, 0.1f};
  const auto [eight, quarter, root, rest] = f(x);
  for (int i = 0; i < 3; ++i) {
    const float v = x[static_cast<std::size_t>(i)];
    CHECK(eight[i] == v * 8);
    CHECK(quarter[i] == v / 4);
    CHECK(root[i] == v * std::exp2(0.5f));
    CHECK(rest[i] == v * std::exp2(-1.75f));
  }
}
