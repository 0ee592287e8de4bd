#include "weft/exec/compile_model.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "support/device.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/metric.hpp"
#include "weft/ops.hpp"

using namespace weft;
using weft::testing::test_device;
using weft::testing::TestDevice;

namespace {
struct Net {
  nn::Linear<8, 16> fc1;
  nn::Dropout drop;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};
struct Pair {
  nn::Linear<8, 3> a;
  constexpr auto operator()(auto x, auto y) const { return std::pair{a(x), sum<>(a(y))}; }
};
std::vector<f32> numbers(std::size_t n) {
  std::vector<f32> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<f32>(i % 11) * 0.25f - 1;
  return x;
}
}  // namespace

TEST_CASE(
    "compile_model: a model alone is its operator(), in evaluation mode unless asked, with the same bits") {
  Model<Net, TestDevice> model(test_device(), 1);
  const Model<Net, TestDevice>& read = model;
  auto whole = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 64, 8>);
  auto alone = compile(model, in<f32, 64, 8>), of_const = compile(read, in<f32, 64, 8>);
  auto training = compile(model, in<f32, 64, 8>, mode::train);
  const auto x = numbers(64 * 8);
  const auto a = whole(x), b = alone(x), c = of_const(x), d = training(x);
  bool dropped = false;
  for (i64 i = 0; i < 64; ++i)
    for (i64 k = 0; k < 3; ++k) {
      CHECK(a(i, k) == b(i, k));
      CHECK(a(i, k) == c(i, k));
      dropped = dropped || a(i, k) != d(i, k);
    }
  CHECK(dropped);
}

TEST_CASE("compile_model: it shares the model's state, and keeps that of a temporary") {
  Model<Net, TestDevice> model(test_device(), 1);
  auto f = compile(model, in<f32, 2, 8>);
  const auto x = numbers(16);
  const f32 before = f(x)(1, 2);
  model.get<"fc2.bias">() = std::vector<f32>{1, 2, 100};
  CHECK(f(x)(1, 2) > before + 50);
  auto kept = compile(Model<Net, TestDevice>(test_device(), 1), in<f32, 2, 8>);
  CHECK(kept(x)(1, 2) == before);
}

TEST_CASE("compile_model: several inputs and results, and a model of its own") {
  Model<Pair, TestDevice> model(test_device(), 2);
  auto f = compile(model, in<f32, 4, 8>, in<f32, 6, 8>);
  const auto [y, total] = f(numbers(32), numbers(48));
  CHECK(y.extent(0) == 4);
  auto own = compile<Net>(test_device(), in<f32, 2, 8>, seed{1});
  Model<Net, TestDevice> same(test_device(), 1);
  auto other = compile(same, in<f32, 2, 8>);
  CHECK(own(numbers(16))(0, 0) == other(numbers(16))(0, 0));
}
