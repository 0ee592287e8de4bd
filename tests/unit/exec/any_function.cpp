#include "weft/exec/any_function.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/exec/function.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/reduce/reduce.hpp"

using namespace weft;

using Sum = Function<Tensor<f32, Shape<4>>(Tensor<f32, Shape<4>>, Tensor<f32, Shape<4>>)>;

TEST_CASE("any_function: the same results as the function it holds") {
  auto make = [] {
    return compile(
        Cpu{}, [](auto a, auto b) { return exp(a) + b; }, in<f32, 4>, in<f32, 4>);
  };
  auto plain = make();
  Sum any = make();
  const std::vector<f32> a{0.1f, -2, 3, 0}, b{1, 2, 3, 4};
  const auto y = plain(a, b).to_vector();
  CHECK(any(a, b).to_vector() == y);
  Tensor<f32, Shape<4>> to;
  any.into(to)(a.data(), b);
  CHECK(to.to_vector() == y);
  f32 raw[4]{};
  any.into(static_cast<f32*>(raw))(a, b);
  CHECK(std::vector<f32>(raw, raw + 4) == y);
  CHECK(static_cast<bool>(any));
}

TEST_CASE("any_function: several results, other dtypes, scalars") {
  Function<std::tuple<Tensor<f32, Shape<>>, Tensor<i64, Shape<2>>>(Input<f32, Shape<2, 3>>)> f = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{sum<>(x), argmax<-1>(x)};
      },
      in<f32, 2, 3>);
  const f32 x[2][3]{{1, 5, 2}, {7, 0, 3}};
  auto [total, best] = f(x);
  CHECK(total.item() == 18);
  CHECK(best.to_vector() == std::vector<i64>{1, 0});
  Function<std::tuple<Tensor<f32, Shape<2>>, Tensor<f32, Shape<2>>>(Input<f32, Shape<2>>)> two = compile(
      Cpu{},
      [](auto a) {
        return std::tuple{a + 1.0f, a * 2.0f};
      },
      in<f32, 2>);
  Tensor<f32, Shape<2>> to;
  CHECK_THROWS_WITH(two.into(to, to)(std::vector<f32>{1, 2}), doctest::Contains("call/targets"));
}

TEST_CASE("any_function: moves, keeps working, and an empty one throws") {
  Sum f = compile(
      Cpu{}, [](auto a, auto b) { return a * b; }, in<f32, 4>, in<f32, 4>);
  Sum g = std::move(f);
  const std::vector<f32> a{1, 2, 3, 4};
  CHECK(g(a, a).to_vector() == std::vector<f32>{1, 4, 9, 16});
  try {
    f(a, a);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.id() == "function/empty");
  }
  CHECK_THROWS_AS(g(a, std::vector<f32>{1, 2}), Error);
}

TEST_CASE("any_function: a function of a model sees the model change") {
  Model<nn::Linear<2, 1>> model;
  Function<Tensor<f32, Shape<1, 1>>(Tensor<f32, Shape<1, 2>>)> f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 1, 2>);
  model.get<"weight">()[0] = 2;
  model.get<"weight">()[1] = 3;
  model.get<"bias">()[0] = 1;
  const f32 x[2]{10, 100};
  CHECK(f(&x[0]).item() == 321);
  model.get<"bias">()[0] = 0;
  CHECK(f(&x[0]).item() == 320);
}

TEST_CASE("any_function: its type is that of what it is made of, where none is written") {
  Function one = compile(
      Cpu{1}, [](auto x) { return x + 1; }, in<f32, 2>);
  Function two = compile(
      Cpu{1},
      [](auto x, auto n) {
        return std::tuple{x * 2, n};
      },
      in<f32, 2>, in<i32, 3>);
  static_assert(std::is_same_v<decltype(one), Function<Tensor<f32, Shape<2>>(Tensor<f32, Shape<2>>)>>);
  static_assert(
      std::is_same_v<decltype(two), Function<std::tuple<Tensor<f32, Shape<2>>, Tensor<i32, Shape<3>>>(
                                        Tensor<f32, Shape<2>>, Tensor<i32, Shape<3>>)>>);
  CHECK(one(std::vector<f32>{1, 2})[1] == 3.0f);
  const auto [y, n] = two(std::vector<f32>{1, 2}, std::vector<i32>{1, 2, 3});
  CHECK(y[1] == 4.0f);
  CHECK(n[2] == 3);
  Function again = one;
  static_assert(std::is_same_v<decltype(again), decltype(one)>);
}
