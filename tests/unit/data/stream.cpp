#include "weft/data/stream.hpp"

#include <doctest/doctest.h>

#include "../io/scratch.hpp"

using namespace weft;
using data::Position;

// The numbers from 100 * epoch on, n of them.
static auto numbers(i32 n) {
  return data::from_generator([n](i64 epoch) {
    return [n, epoch, i = 0]() mutable -> std::optional<std::tuple<i32>> {
      if (i == n) return std::nullopt;
      return std::tuple<i32>(static_cast<i32>(100 * epoch) + i++);
    };
  });
}
template <class Range>
static std::vector<i32> values(Range&& range) {
  std::vector<i32> out;
  for (auto& batch : range)
    for (i64 i = 0; i < batch.valid(); ++i) out.push_back(batch.template get<0>()[i]);
  return out;
}
static_assert(data::IterableDataset<decltype(numbers(1))>);
static_assert(!data::IterableDataset<int>);
static_assert(!data::Dataset<decltype(numbers(1))>);

TEST_CASE("stream: each pass is the next epoch, the rest dropped or padded") {
  const auto dataset = numbers(5);
  auto dropping = data::loader<2>(dataset);
  CHECK(values(dropping) == std::vector<i32>{0, 1, 2, 3});
  CHECK(values(dropping) == std::vector<i32>{100, 101, 102, 103});
  auto padding = data::loader<2>(dataset, {.last = data::pad_and_mask});
  CHECK(values(padding) == std::vector<i32>{0, 1, 2, 3, 4});
  i32 padded = 0;
  for (auto& [value] : padding) padded = value[1];
  CHECK(padded == -100);
  CHECK(values(data::loader<2>(numbers(0))).empty());
  CHECK(values(padding.epoch(7)) == std::vector<i32>{700, 701, 702, 703, 704});
}

TEST_CASE("stream: seek reads up to the position") {
  const auto dataset = numbers(6);
  auto loader = data::loader<2>(dataset);
  for (auto& batch : loader) {
    CHECK(batch.valid() == 2);
    break;
  }
  CHECK(loader.position() == Position{0, 1});
  CHECK(values(loader) == std::vector<i32>{100, 101, 102, 103, 104, 105});
  loader.seek({0, 1});
  CHECK(values(loader) == std::vector<i32>{2, 3, 4, 5});
  CHECK(loader.position() == Position{1, 0});
  loader.seek({0, 99});
  CHECK(values(loader).empty());
  CHECK(loader.position() == Position{1, 0});
  CHECK(values(loader.epoch(2, 2)) == std::vector<i32>{204, 205});
  CHECK(error_id([&] { loader.seek({-1, 0}); }) == "loader/position");
  CHECK(error_id([&] { data::loader<2>(dataset, {.shuffle = true}); }) == "loader/shuffle");
}
