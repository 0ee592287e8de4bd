// Numbers beside run-time tensors: an expression gives the bits that the same operation gives in a compiled
// function, whose numbers the compiler knows.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "weft/exec/function.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/ops.hpp"

using namespace weft;

namespace {

template <class T, class F>
void check_same(const std::vector<T>& values, F f) {
  const Tensor<T, Shape<4>> x(values);
  Tensor late = f(x);
  auto compiled = compile(Cpu{1}, F{}, in<T, 4>);
  const decltype(late) early = compiled(x);
  for (i64 i = 0; i < 4; ++i) {
    const auto a = static_cast<f64>(static_cast<f32>(late[i])),
               b = static_cast<f64>(static_cast<f32>(early[i]));
    INFO(a, " at run time, compiled ", b);
    CHECK((std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b)));
  }
}
#define SAME(values, ...) check_same(values, [](auto x) { return __VA_ARGS__; })

}  // namespace

TEST_CASE("immediate_numbers: small floats are computed in f32 and rounded once") {
  const std::vector<bf16> h{bf16(0.1f), bf16(256.0f), bf16(-3.0f), bf16(2.0f)};
  SAME(h, x - 257);
  SAME(h, 257 - x);
  SAME(h, x * 1.003);
  SAME(h, x / 0.3f);
  SAME(h, pow(x, 2.3));
  SAME(h, atan2(x, 0.3));
  SAME(h, x * 0.3 + 1.7);
  const std::vector<f16> k{f16(0.1f), f16(256.0f), f16(-3.0f), f16(2.0f)};
  SAME(k, x * 100000);
  SAME(k, x + 2049);
  SAME(k, fma(x, x, 2049));
}
TEST_CASE("immediate_numbers: what is chosen, compared or divided with a remainder is an element") {
  const std::vector<bf16> h{bf16(0.1f), bf16(256.0f), bf16(-3.0f), bf16(2.0f)};
  SAME(h, remainder(x, 0.3));
  SAME(h, remainder(0.3, x));
  SAME(h, floor_divide(x, 0.3));
  SAME(h, fmod(x, 0.3));
  SAME(h, maximum(x, 0.3));
  SAME(h, where(x > 0, x, 0.3));
  SAME(h, x == 0.1f);
  SAME(h, clamp(x, 0.3, 1.7));
}
TEST_CASE("immediate_numbers: powers") {
  const std::vector<f32> z{-0.0f, -std::numeric_limits<f32>::infinity(), 2.0f, 127.0f};
  SAME(z, pow(x, 0.5f));
  SAME(z, pow(x, 2));
  SAME(z, pow(x, -1));
  SAME(z, pow(2, x));
}
TEST_CASE("immediate_numbers: integers are clamped by any numbers") {
  const std::vector<u8> u{0, 1, 200, 255};
  SAME(u, clamp(x, 300, 400));
  SAME(u, clamp_max(x, -5));
  SAME(u, clamp(x, -9, 100));
  const std::vector<i8> b{0, 1, -128, 127};
  SAME(b, clamp(x, 200, 300));
  SAME(b, clamp(x, -300, -200));
  const std::vector<i32> i{5, -5, 7, -7};
  SAME(i, clamp(x, 3000000000L, 4000000000L));
  SAME(i, x / 2);
  SAME(i, pow(x, 2));
}
