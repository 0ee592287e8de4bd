#include "weft/data/dataset.hpp"

#include <doctest/doctest.h>

#include <array>
#include <tuple>
#include <type_traits>
#include <vector>

#include "../io/scratch.hpp"
#include "numbered.hpp"

using namespace weft;
using data::Arrays;
using data_test::labels, data_test::numbered;

struct NotADataset {
  int size() const { return 1; }
  int operator[](i64) const { return 1; }
};
static_assert(data::Dataset<Arrays<f32, i32>>);
static_assert(!data::Dataset<NotADataset>);
static_assert(!data::Dataset<int>);

TEST_CASE("dataset: rows of arrays in memory") {
  const auto dataset = numbered(5);
  CHECK(dataset.size() == 5);
  const auto [x, y] = dataset[3];
  CHECK(x.size() == 2);
  CHECK(x.shape() == std::vector<i64>{2});
  CHECK(x[1] == -3.0f);
  CHECK(y.size() == 1);
  CHECK(y.shape().empty());
  CHECK(y[0] == 3);
}

TEST_CASE("dataset: columns that do not fit together are refused") {
  using Pair = Arrays<f32, i32>;
  CHECK(error_id([] { Pair({{1, 2, 3}, {2}}, {{1}, {}}); }) == "data/size-mismatch");
  CHECK(error_id([] { Pair({{1, 2, 3, 4}, {2}}, {{1}, {}}); }) == "data/size-mismatch");
  CHECK(error_id([] { Pair({{1, 2}, {0}}, {{1}, {}}); }) == "data/size-mismatch");
  CHECK(error_id([] { Pair({{1, 2}, {i64{1} << 40, i64{1} << 40}}, {{1}, {}}); }) == "data/size-mismatch");
  CHECK(error_id([] { Pair({{1, 2, 3, 4}, {2}}, {{1, 2}, {}}); }) == "no error");
}

TEST_CASE("dataset: fields of bool, in memory and one by one") {
  const Arrays<bool, i32> rows({std::vector<bool>{true, false, false, true, true, true}, {2}},
                               {{1, 2, 3}, {}});
  static_assert(std::is_same_v<decltype(rows[0]), std::tuple<data::Row<bool>, data::Row<i32>>>);
  CHECK(rows.size() == 3);
  const auto [keep, label] = rows[1];
  CHECK((!keep[0] && keep[1]));
  CHECK(label[0] == 2);
  CHECK(rows.column<0>().values.size() == 6);

  using Bits = data::Field<std::vector<bool>>;
  static_assert(std::is_same_v<Bits::Element, bool>);
  CHECK(Bits::size({true, false}) == 2);
  CHECK(Bits::shape({true, false}) == std::vector<i64>{2});
}

TEST_CASE("dataset: arrays of arrays are fields with as many axes") {
  using Matrix = std::array<std::array<std::array<f32, 4>, 3>, 2>;
  using Nested = data::Field<Matrix>;
  static_assert(std::is_same_v<Nested::Element, f32>);
  Matrix m{};
  m[1][2][3] = 5;
  CHECK(Nested::size(m) == 24);
  CHECK(Nested::shape(m) == std::vector<i64>{2, 3, 4});
  CHECK(Nested::data(m)[23] == 5);

  using Points = data::Field<std::vector<std::array<f64, 3>>>;
  static_assert(std::is_same_v<Points::Element, f64>);
  const std::vector<std::array<f64, 3>> points{{1, 2, 3}, {4, 5, 6}};
  CHECK(Points::size(points) == 6);
  CHECK(Points::shape(points) == std::vector<i64>{2, 3});
  CHECK(Points::data(points)[5] == 6);
}

TEST_CASE("dataset: subset, concat and functions") {
  const auto five = numbered(5);
  CHECK(labels(data::subset(five, {4, 0, 4})) == std::vector<i32>{4, 0, 4});
  CHECK(labels(data::subset(numbered(3), {2})) == std::vector<i32>{2});
  CHECK(labels(data::subset(five, std::vector<int>{4, 0})) == std::vector<i32>{4, 0});
  CHECK(labels(data::subset(five, std::vector<std::size_t>{1})) == std::vector<i32>{1});
  CHECK(error_id([&] { data::subset(five, {5}); }) == "data/index");
  CHECK(error_id([&] { data::subset(five, {-1}); }) == "data/index");
  CHECK(labels(data::concat(five, numbered(2, 10), numbered(0), numbered(1, 20))) ==
        std::vector<i32>{0, 1, 2, 3, 4, 10, 11, 20});
  const auto squares = data::from_function(4, [](i64 i) { return std::tuple<f32, i64>(0.5f, i * i); });
  static_assert(data::Dataset<decltype(squares)>);
  CHECK(std::get<1>(squares[3]) == 9);
  CHECK(error_id([] { data::from_function(-1, [](i64) { return std::tuple<f32>(0.0f); }); }) ==
        "data/size-mismatch");
}
