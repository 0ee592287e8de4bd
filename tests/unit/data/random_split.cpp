#include "weft/data/random_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "../io/scratch.hpp"
#include "numbered.hpp"

using namespace weft;
using data::Arrays;
using data_test::labels, data_test::numbered;

TEST_CASE("random_split: it covers every sample once") {
  const auto dataset = numbered(101);
  const auto parts = data::random_split(dataset, {0.5, 0.3, 0.2}, 7);
  REQUIRE(parts.size() == 3);
  // PyTorch: random_split(range(101), [0.5, 0.3, 0.2]) has lengths 51, 30, 20.
  CHECK(parts[0].size() == 51);
  CHECK(parts[1].size() == 30);
  CHECK(parts[2].size() == 20);
  std::vector<i32> all;
  for (const auto& part : parts) {
    const auto some = labels(part);
    CHECK_FALSE(std::is_sorted(some.begin(), some.end()));
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  CHECK(all == labels(dataset));
  CHECK(labels(data::random_split(dataset, {0.5, 0.3, 0.2}, 7)[1]) == labels(parts[1]));
  CHECK(labels(data::random_split(dataset, {0.5, 0.3, 0.2}, 8)[1]) != labels(parts[1]));
  for (const std::vector<f64>& bad : {std::vector<f64>{}, {0.5}, {0.5, 0.6}, {1.5, -0.5}, {0.0 / 0.0, 1.0}})
    CHECK(error_id([&] { data::random_split(dataset, bad, 7); }) == "data/fractions");
}

TEST_CASE("random_split: by counts, which are all samples") {
  const auto dataset = numbered(101);
  const auto [train, val] = data::random_split(dataset, {80, 21}, 7);
  CHECK(train.size() == 80);
  CHECK(val.size() == 21);
  // the order is that of fractions
  CHECK(labels(data::random_split(dataset, {0.8, 0.2}, 7)[0]) ==
        labels(data::random_split(dataset, {81, 20}, 7)[0]));
  const std::vector<std::size_t> listed{1, 0, 100};
  const auto parts = data::random_split(dataset, listed, 7);
  REQUIRE(parts.size() == 3);
  CHECK(parts[1].size() == 0);
  CHECK(parts[2].size() == 100);
  constexpr i64 most = std::numeric_limits<i64>::max();
  for (const std::vector<i64>& bad : {std::vector<i64>{}, {100}, {102}, {102, -1}, {most, most}})
    CHECK(error_id([&] { data::random_split(dataset, bad, 7); }) == "data/fractions");
  CHECK(error_id([&] { data::random_split(dataset, {80, 20}, 7); }) == "data/fractions");
}

TEST_CASE("random_split: in a structured binding, and of a dataset that the parts own") {
  const auto dataset = numbered(10);
  const auto [train, val] = data::random_split(dataset, {0.8, 0.2}, 7);
  CHECK(train.size() == 8);
  CHECK(val.size() == 2);
  const std::vector<f64> listed{0.8, 0.2};
  CHECK(labels(data::random_split(dataset, listed, 7)[0]) == labels(train));

  // nothing else holds the samples by now
  const auto [first, second] = data::random_split(numbered(10), {0.8, 0.2}, 7);
  CHECK(labels(first) == labels(train));
  CHECK(labels(second) == labels(val));
  auto moved = numbered(10);
  const auto parts = data::random_split(std::move(moved), listed, 7);
  const auto copy = parts[1];
  CHECK(labels(copy) == labels(val));
}
