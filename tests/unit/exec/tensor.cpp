#include "weft/exec/tensor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

#include "support/error_of.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/print.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"

using namespace weft;
using testing::error_of;

TEST_CASE("tensor: an index outside is an Error") {
  Tensor<f32, Shape<2, 3>> t{0, 1, 2, 3, 4, 5};
  const auto& read = t;
  CHECK(t(1, 2) == 5.0f);
  CHECK(read[5] == 5.0f);
  t(0, 1) = 7.0f;
  CHECK(read(0, 1) == 7.0f);
  CHECK(error_of([&] { t[6] = 1.0f; }) == "tensor/index");
  CHECK(error_of([&] { read[-1]; }) == "tensor/index");
  CHECK(error_of([&] { t(0, 3); }) == "tensor/index");  // inside the memory, outside the axis
  CHECK(error_of([&] { read(2, 0); }) == "tensor/index");
  CHECK(error_of([&] { t.view()(1, 3); }) == "tensor/index");
}

TEST_CASE("tensor: rows in braces") {
  const Tensor<f32, Shape<2, 3>> t{{1, 2, 3}, {4, 5, 6}};
  CHECK(t.to_vector() == std::vector<f32>{1, 2, 3, 4, 5, 6});
  CHECK(error_of([] { Tensor<f32, Shape<2, 3>> short_row{{1, 2, 3}, {4, 5}}; }) == "tensor/size");
  CHECK(error_of([] { Tensor<f32, Shape<2, 3>> one_row{{1, 2, 3}}; }) == "tensor/size");
  CHECK(error_of([] { Tensor<f32, Shape<2, 3>> all_in_one{{1, 2, 3, 4, 5, 6}}; }) == "tensor/size");
  CHECK(error_of([] { Tensor<f32, Shape<1, 3>> two_rows{{1, 2, 3}, {4, 5, 6}}; }) == "tensor/size");
  const Tensor<f32, Shape<3, 1>> column{1, 2, 3};
  CHECK(column[2] == 3);
  const Tensor<bool, Shape<2, 2>> flags{{true, false}, {false, true}};
  CHECK(flags.to_vector() == std::vector<bool>{true, false, false, true});
  CHECK(error_of([] { Tensor<f32, Shape<2, 3>> cut_elsewhere{{1, 2}, {3, 4}, {5, 6}}; }) == "tensor/size");
}

TEST_CASE("tensor: numbers for elements of few bits, rounded") {
  const Tensor<bf16, Shape<3>> b{1.0f, 2.5, 3};
  CHECK(static_cast<f32>(b[1]) == 2.5f);
  const Tensor<f16, Shape<2, 2>> rows = {{1, 2}, {3, 4}};
  CHECK(static_cast<f32>(rows(1, 0)) == 3);
  Tensor<f16, Shape<2>> written{1, 2};
  written.view() = {3.0f, 4.0f};
  CHECK(static_cast<f32>(written[1]) == 4);
  const Tensor<f8e4m3, Shape<2>> eighth{1.06f, 2.0f};
  CHECK(static_cast<f32>(eighth[0]) == 1);
  CHECK(error_of([] { Tensor<bf16, Shape<3>> short_one{1.0f, 2.0f}; }) == "tensor/size");
  CHECK(error_of([] { Tensor<bf16, Shape<2, 2>> short_row{{1, 2}, {3}}; }) == "tensor/size");
}

TEST_CASE("tensor: one tensor, view or expression in braces is no list of elements") {
  Tensor<i32, Shape<3>> a{1, 2, 3};
  const Tensor<i32, Shape<3>> b{a}, c{a * 2}, d{a.view()};
  a[0] = 7;
  CHECK(b.to_vector() == std::vector<i32>{1, 2, 3});
  CHECK(c.to_vector() == std::vector<i32>{2, 4, 6});
  CHECK(d.to_vector() == std::vector<i32>{1, 2, 3});
  const Tensor<i32, Shape<1>> one{5}, same{one};
  CHECK(same.item() == 5);
  CHECK_THROWS_WITH_AS((Tensor<i32, Shape<3>>{b, c}), doctest::Contains("tensor/size"), Error);
}

TEST_CASE("tensor: of an array of several axes, and of an std::array") {
  const float rows[2][3]{{1, 2, 3}, {4, 5, 6}};
  CHECK(Tensor<f32, Shape<2, 3>>(rows).to_vector() == std::vector<f32>{1, 2, 3, 4, 5, 6});
  bool bits[2][2]{{true, false}, {false, true}};
  CHECK(Tensor<bool, Shape<2, 2>>(bits)(1, 1));
  const std::array<f32, 3> flat{1, 2, 3};
  const Tensor<f32, Shape<3>> x(flat);
  CHECK(x[2] == 3);
  const std::array<std::array<i64, 2>, 2> nested{{{1, 2}, {3, 4}}};
  CHECK(Tensor<i64, Shape<2, 2>>(nested)(1, 0) == 3);
  CHECK(Tensor<i64, Shape<4>>(std::array<i64, 4>{1, 2, 3, 4})[3] == 4);
}

TEST_CASE("tensor: dtype and shape are deduced of an expression, a view and a tensor") {
  Tensor<f32, Shape<2, 3>> a{1, 2, 3, 4, 5, 6};
  Tensor sums = sum<0>(a * 2);
  static_assert(std::is_same_v<decltype(sums), Tensor<f32, Shape<3>>>);
  CHECK(sums.to_vector() == std::vector<f32>{10, 14, 18});
  Tensor drawn = randn<f32, 2, 3>();
  static_assert(std::is_same_v<decltype(drawn), Tensor<f32, Shape<2, 3>>>);
  Tensor found = a > 3;
  static_assert(std::is_same_v<decltype(found), Tensor<bool, Shape<2, 3>>>);
  CHECK(found(1, 0));
  Tensor copied = std::as_const(a).view();
  static_assert(std::is_same_v<decltype(copied), Tensor<f32, Shape<2, 3>>>);
  Tensor again = copied;
  a[0] = 7;
  CHECK(copied[0] == 1);
  CHECK(again[5] == 6);
}

TEST_CASE("tensor: a op= b reads what it had before") {
  Tensor<f32, Shape<64, 64>> a = Tensor<f32, Shape<64, 64>>::full(3), b = Tensor<f32, Shape<64, 64>>::full(2);
  a += b;
  CHECK(a(63, 63) == 5);
  a *= a;
  CHECK(a(0, 0) == 25);
  a -= 1;
  a /= b;
  CHECK(a(63, 0) == 12);
}

TEST_CASE("tensor: takes an expression of less by promotion") {
  const Tensor<i32, Shape<3>> n{1, 2, 3};
  const Tensor<i64, Shape<3>> more = n + n;
  CHECK(more[2] == 6);
  const Tensor<f32, Shape<3>> x = n * 2;
  CHECK(x[1] == 4);
}

TEST_CASE("tensor: without memory every element is an Error, and assignment gives it some") {
  Tensor<f32, Shape<3>> a{1, 2, 3};
  Tensor<f32, Shape<3>> b = std::move(a);
  CHECK(error_of([&] { a[0]; }) == "tensor/moved");
  CHECK(error_of([&] { a.to_vector(); }) == "tensor/moved");
  CHECK(error_of([&] {
          for (f32& x : a) x = 0;
        }) == "tensor/moved");
  CHECK(error_of([&] { Tensor<f32, Shape<3>> c = a; }) == "tensor/moved");
  CHECK(error_of([&] { Tensor<f32, Shape<3>> c = a + b; }) == "tensor/moved");
  CHECK(error_of([&] { TensorView<f32, Shape<3>, Cpu>()[0]; }) == "tensor/moved");
  const f32* nothing = nullptr;
  CHECK(error_of([&] { Tensor<f32, Shape<3>> c(nothing); }) == "tensor/moved");
  a = b;
  CHECK(a.to_vector() == std::vector<f32>{1, 2, 3});
  CHECK(a.data() != b.data());
}

TEST_CASE("tensor: a view keeps the memory, an assignment writes into it") {
  auto view = [] {
    Tensor<f32, Shape<2>> local{1, 2};
    return local.view();
  }();
  CHECK(view.to_vector() == std::vector<f32>{1, 2});
  Tensor<f32, Shape<2>> t{3, 4};
  view = t.view();
  const Tensor<f32, Shape<2>> other{5, 6};
  t = other;
  CHECK(view[1] == 6.0f);
  const f32* const before = t.data();
  t = Tensor<f32, Shape<2>>{7, 8};  // the view shares the memory
  CHECK(t.data() == before);
  CHECK(view[1] == 8.0f);
  const TensorView<const f32, Shape<2>, Cpu> read = view;
  CHECK(read[0] == 7.0f);
  CHECK(Tensor<f32, Shape<2>>(read)[1] == 8.0f);
  Tensor<f32, Shape<2>> alone{1, 2}, made{9, 10};
  const f32* const taken = made.data();
  alone = std::move(made);  // nobody shares it: the other's is taken over
  CHECK(alone.data() == taken);
}

TEST_CASE("tensor: what a view without a name is assigned goes into its memory") {
  Tensor<f32, Shape<2, 64>> t;
  std::vector<f32> steps(128);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<f32>(i);
  const f32* const at = t.data();
  t.view() = steps;
  CHECK(t.to_vector() == steps);
  t.view() = t.view() * 2 - t;  // reads what it writes
  CHECK(t.to_vector() == steps);
  t.view() = 0.5f;
  CHECK(t(1, 63) == 0.5f);
  t.view() = Tensor<f32, Shape<2, 64>>(steps);
  CHECK(t(1, 63) == 127.0f);
  t.view() = 0;
  t.view() = Tensor<f32, Shape<2, 64>>(steps).view();
  CHECK(t(1, 63) == 127.0f);
  const auto w = t.view();
  w += 1;
  w *= t;
  CHECK(t(1, 63) == 128.0f * 128.0f);
  w -= t;
  CHECK(t(1, 63) == 0.0f);
  CHECK(t.data() == at);
  CHECK(error_of([&] { t.view() = std::vector<f32>(127); }) == "tensor/size");
  CHECK(error_of([&] { t.view() = {1, 2, 3}; }) == "tensor/size");
  CHECK(error_of([&] { TensorView<f32, Shape<3>>() = 1.0f; }) == "tensor/moved");
  Tensor<f16, Shape<3>> halves;
  halves.view() = f16(0.5f);
  CHECK(static_cast<f32>(halves[2]) == 0.5f);
  halves.view() = 2;
  CHECK(static_cast<f32>(halves[2]) == 2.0f);
  Tensor<bool, Shape<3>> mask;
  mask.view() = std::vector<bool>{true, false, true};
  CHECK(mask.to_vector() == std::vector<bool>{true, false, true});
}

TEST_CASE("tensor: expressions keep what they read") {
  auto sum = [] {
    Tensor<f32, Shape<2>> a{1, 2}, b{3, 4};
    return a * b + a;
  }();
  const Tensor<f32, Shape<2>> y = sum;
  CHECK(y.to_vector() == std::vector<f32>{4, 10});
}

TEST_CASE("tensor: elements of every dtype go to a vector and come from one") {
  const auto there_and_back = []<class T>(std::vector<T> values) {
    const Tensor<T, Shape<2, 3>> t(values);
    CHECK(t.to_vector() == values);
    CHECK(t.view().to_vector() == values);
    CHECK(error_of([&] { Tensor<T, Shape<7>>{values}; }) == "tensor/size");
  };
  there_and_back(std::vector<bool>{false, false, true, true, false, true});
  there_and_back(std::vector<u8>{0, 1, 2, 127, 128, 255});
  there_and_back(std::vector<i8>{0, 1, -1, 127, -128, 3});
  there_and_back(std::vector<i32>{0, 1, -1, INT32_MAX, INT32_MIN, 3});
  there_and_back(std::vector<i64>{0, 1, -1, INT64_MAX, INT64_MIN, 3});
  there_and_back(std::vector<f64>{0, 1, -1, 1e300, 0.5, 3});
  const Tensor<bool, Shape<2, 2>> mask(std::vector<bool>{false, true, true, false});
  CHECK(to_text(mask) == "tensor([[False,  True],\n        [ True, False]])");
}
