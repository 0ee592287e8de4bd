#include "weft/exec/interpreter/program.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/error_of.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  using T = typename A::dtype;
  static_assert(std::is_same_v<T, typename B::dtype>);
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0;
}
template <class A, class B>
double difference(const A& a, const B& b) {
  double most = 0;
  for (i64 i = 0; i < a.size(); ++i)
    most = std::max(most, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}
template <class T>
std::vector<T> numbers(i64 count, double low, double high) {
  std::vector<T> x;
  for (i64 i = 0; i < count; ++i) {
    const double part = static_cast<double>((i * 7919 + 13) % 1009) / 1009;
    x.push_back(static_cast<T>(static_cast<f32>(low + (high - low) * part)));
  }
  return x;
}

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};
constexpr auto classify = [](const auto& model, auto image, auto label) {
  return cross_entropy(model(image), label);
};

// One chain through every pointwise function of floats, on both devices.
constexpr auto functions = [](auto x) {
  const auto a = exp(-abs(x)) + expm1(x * 0.25f) + log(abs(x) + 0.5f) + log1p(abs(x));
  const auto b = sqrt(abs(x)) + rsqrt(abs(x) + 0.5f) + sin(x) + cos(x) + tan(x * 0.5f) + asin(x * 0.2f) + acos(x * 0.2f);
  const auto c = atan(x) + sinh(x) + cosh(x) + tanh(x) + sigmoid(x) + erf(x) + erfc(x) + floor(x) + ceil(x) + round(x);
  const auto d = trunc(x) + pow(abs(x) + 0.1f, x) + fmod(x, abs(x) + 0.7f) + atan2(x, x + 0.3f) + sign(x);
  return std::tuple{a * b - c / (abs(d) + 1.0f), where(x > 0.3f, a, maximum(b, c)), minimum(c, d) <= b, gelu(x), silu(x)};
};

template <class T>
void check_functions() {
  const std::vector<T> x = numbers<T>(1003, -4, 4);
  auto cpu = compile(Cpu{}, functions, in<T, 17, 59>);
  auto interpreted = compile(Interpreter{}, functions, in<T, 17, 59>);
  const auto expected = cpu(x), got = interpreted(x);
  CHECK(same_bits(std::get<0>(got), std::get<0>(expected)));
  CHECK(same_bits(std::get<1>(got), std::get<1>(expected)));
  CHECK(same_bits(std::get<2>(got), std::get<2>(expected)));
  CHECK(same_bits(std::get<3>(got), std::get<3>(expected)));
  CHECK(same_bits(std::get<4>(got), std::get<4>(expected)));
}

}  // namespace

TEST_CASE("interpreter: what is not summed has Cpu's bits in every dtype") {
  check_functions<f32>();
  check_functions<f64>();
  check_functions<f16>();
  check_functions<bf16>();
  constexpr auto integers = [](auto a, auto b) {
    return std::tuple{a * b + a / b - a % b, (a ^ b) | (a & b), cast<f32>(a) / 3.0f, a << 1, abs(a) >> 2, a == b};
  };
  const std::vector<i32> a = numbers<i32>(70, -1000, 1000), b = numbers<i32>(70, -9, 9);
  const auto expected = compile(Cpu{}, integers, in<i32, 7, 10>, in<i32, 7, 10>)(a, b);
  const auto got = compile(Interpreter{}, integers, in<i32, 7, 10>, in<i32, 7, 10>)(a, b);
  CHECK(same_bits(std::get<0>(got), std::get<0>(expected)));
  CHECK(same_bits(std::get<1>(got), std::get<1>(expected)));
  CHECK(same_bits(std::get<2>(got), std::get<2>(expected)));
  CHECK(same_bits(std::get<5>(got), std::get<5>(expected)));
}

TEST_CASE("interpreter: the same random numbers") {
  constexpr auto draws = [](auto x) {
    return std::tuple{dropout(x, {.p = 0.3f, .training = true}), rand<f32, 5, 13>(), randn<f32, 5, 13>(), randint<i64, 5, 13>(0, 100)};
  };
  const std::vector<f32> x = numbers<f32>(65, -1, 1);
  auto cpu = compile(Cpu{}, draws, in<f32, 5, 13>, seed{7});
  auto interpreted = compile(Interpreter{}, draws, in<f32, 5, 13>, seed{7});
  for (int call = 0; call < 3; ++call) {
    const auto expected = cpu(x), got = interpreted(x);
    CHECK(same_bits(std::get<0>(got), std::get<0>(expected)));
    CHECK(same_bits(std::get<1>(got), std::get<1>(expected)));
    CHECK(same_bits(std::get<2>(got), std::get<2>(expected)));
    CHECK(same_bits(std::get<3>(got), std::get<3>(expected)));
  }
}
