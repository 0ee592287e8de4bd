#include "weft/exec/immediate.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/error_of.hpp"
#include "weft/weft.hpp"

using namespace weft;

TEST_CASE("immediate: an expression of tensors runs when it is assigned") {
  Tensor<f32, Shape<4, 8>, Cpu> a = Tensor<f32, Shape<4, 8>>::full(2), b = Tensor<f32, Shape<4, 8>>::full(3),
                                c;
  for (i64 i = 0; i < c.size(); ++i) c[i] = 0.1f * static_cast<float>(i % 8);
  Tensor<f32, Shape<4, 8>, Cpu> y = softmax<-1>(a * b + c);
  double total = 0;
  for (int j = 0; j < 8; ++j) total += std::exp(0.1 * j);
  for (int j = 0; j < 8; ++j) CHECK(y(2, j) == doctest::Approx(std::exp(0.1 * j) / total).epsilon(1e-6));
}

TEST_CASE("immediate: numbers are kernel arguments, so one program serves every value") {
  Tensor<f32, Shape<3>> x{1, 2, 3};
  for (const float s : {2.0f, -1.5f}) {
    Tensor<f32, Shape<3>> y = x * s + 1;
    CHECK(y[2] == 3 * s + 1);
  }
}

TEST_CASE("immediate: a scalar does not promote a tensor, another tensor does") {
  Tensor<bf16, Shape<2>> low{bf16(1.0f), bf16(2.0f)};
  Tensor<bf16, Shape<2>> doubled = low * 2.0f;
  CHECK(static_cast<float>(doubled[1]) == 4.0f);
  Tensor<i32, Shape<2>> whole{5, 7};
  Tensor<f32, Shape<2>> mixed = whole * low;
  CHECK(mixed[1] == 14.0f);
}

TEST_CASE("immediate: assigning to a tensor that the expression reads") {
  Tensor<f32, Shape<2, 2>> x{1, 2, 3, 4};
  x = matmul(x, x);
  CHECK(x(0, 0) == 7.0f);
  CHECK(x(1, 1) == 22.0f);
}

TEST_CASE("immediate: literals join tensors") {
  Tensor<f32, Shape<2, 3>> x{0, 0, 0, 1, 1, 1};
  Tensor<f32, Shape<2, 3>> y = x + arange<f32, 3>();
  CHECK(y(1, 2) == 3.0f);
}

TEST_CASE("immediate: a place outside its axis and a label outside its classes are Errors") {
  const Tensor<f32, Shape<4, 2>> x{1, 2, 3, 4, 5, 6, 7, 8};
  Tensor<i64, Shape<2>> places{1, 9};
  const auto rows = [&] { return Tensor<f32, Shape<2, 2>>(index_select<0>(x * 2.0f, places)); };
  CHECK(testing::error_of(rows) == "call/index");
  places = Tensor<i64, Shape<2>>{1, 3};
  CHECK(rows()(1, 1) == 16);
  Tensor<i32, Shape<4>> labels{0, 1, 7, 0};
  const auto loss = [&] { return Tensor<f32, Shape<>>(cross_entropy(x, labels)).item(); };
  CHECK(testing::error_of(loss) == "call/label");
  labels = Tensor<i32, Shape<4>>{0, 1, -100, 0};
  CHECK(loss() > 0);
}

TEST_CASE("tensor: a list of the wrong length is an Error") {
  const auto make = [] { return Tensor<f32, Shape<3>>{1, 2}; };
  CHECK_THROWS_AS(make(), Error);
}
