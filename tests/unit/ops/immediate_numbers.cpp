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
TEST_CASE("immediate_numbers: numbers of any type of C++") {
  const std::vector<i32> i{5, -5, 7, -7};
  SAME(i, x + 7ul);
  SAME(i, x * 7ll);
  SAME(i, x - short{7});
  SAME(i, x + 'a');
  SAME(i, x << -1);
  SAME(i, x << 64);
  SAME(i, x << 7);
  SAME(i, x == 4294967301ull);  // 5 modulo 2^32
  const std::vector<f32> f{1, 2, 3, 4};
  SAME(f, x / std::size_t{3});
  SAME(f, x * 0.3L);
  const Tensor<i32, Shape<4>> t(i);
  bool refused = false;
  try {
    const Tensor<i32, Shape<4>> r = t + ~0ull;
  } catch (const Error& e) {
    refused = e.id() == "tensor/number-range";
  }
  CHECK(refused);
}
TEST_CASE("immediate_numbers: a bound that is NaN") {
  const std::vector<f32> f{1, 2, 3, std::numeric_limits<f32>::quiet_NaN()};
  SAME(f, clamp(x, NAN, 3));
  SAME(f, clamp(x, 1.5, NAN));
  SAME(f, clamp(x, 1.5, 2.5));
  const Tensor<f32, Shape<4>> r = clamp(Tensor<f32, Shape<4>>(f), 1.5, NAN);
  for (const f32 v : r) CHECK(std::isnan(v));
}
TEST_CASE("immediate_numbers: every operator has its form with =") {
  Tensor<f32, Shape<4>> f{1, 2, 3, 4};
  Tensor<bool, Shape<4>> m = f > 2;
  m |= f < 2;
  m &= f < 4;
  CHECK(m.to_vector() == Tensor<bool, Shape<4>>{true, false, true, false}.to_vector());
  m ^= f > 0;
  CHECK(!m[0]);
  Tensor<i32, Shape<4>> i{5, -5, 7, -7};
  i %= 3;
  i.view() += 2;
  i.view() %= 3;
  CHECK(i.to_vector() == std::vector<i32>{1, 0, 0, 1});
  Tensor<u8, Shape<4>> u{1, 2, 3, 200};
  u <<= 1;
  u ^= 255;
  u >>= 1;
  CHECK(u.to_vector() == std::vector<u8>{126, 125, 124, 55});
  CHECK(Tensor<u8, Shape<4>>(u ^ 7).to_vector() == std::vector<u8>{121, 122, 123, 48});
  auto g = compile(
      Cpu{1},
      [](auto x, auto n) {
        auto b = x > 2;
        b |= x < 2;
        auto q = n;
        q %= 3;
        q <<= 2;
        return std::tuple{b, q};
      },
      in<f32, 4>, in<i32, 4>);
  const auto [b, q] = g(f, i);
  CHECK(b.to_vector() == Tensor<bool, Shape<4>>{true, false, true, true}.to_vector());
  CHECK(q.to_vector() == std::vector<i32>{4, 0, 0, 4});
}
