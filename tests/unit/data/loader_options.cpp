#include "weft/data/loader_options.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "numbered.hpp"
#include "support/error_of.hpp"
#include "weft/data/loader.hpp"
#include "weft/data/stream.hpp"

using namespace weft;
using namespace data_test;

namespace {

template <class Batches>
std::vector<i32> drawn(Batches&& batches) {
  std::vector<i32> all;
  for (auto& batch : batches)
    all.insert(all.end(), batch.template get<1>().begin(), batch.template get<1>().begin() + batch.valid());
  return all;
}

}  // namespace

TEST_CASE("loader: samples are drawn as often as their weights say") {
  const auto dataset = numbered(6);
  const std::vector<f64> weights{1, 0, 2, 4, 0.5, 2.5};
  auto loader = data::loader<32>(dataset, {.seed = 5, .weights = weights, .draws = 32'000});
  CHECK(loader.size() == 32'000);
  CHECK(loader.batches() == 1000);
  const std::vector<i32> all = drawn(loader);
  REQUIRE(all.size() == 32'000);
  f64 chi_squared = 0;
  for (i32 i = 0; i < 6; ++i) {
    const f64 expected = weights[static_cast<std::size_t>(i)] * 3200;
    const auto count = static_cast<f64>(std::count(all.begin(), all.end(), i));
    if (expected == 0)
      CHECK(count == 0);
    else
      chi_squared += (count - expected) * (count - expected) / expected;
  }
  CHECK(chi_squared < 18.5);    // 4 degrees of freedom: chance exceeds it with probability 1e-3
  CHECK(drawn(loader) != all);  // another epoch
  CHECK(drawn(loader.epoch(0)) == all);
  CHECK(drawn(loader.epoch(0, 900)) == std::vector<i32>(all.begin() + 900 * 32, all.end()));
}

TEST_CASE("loader: as many samples as the dataset has, with a seed of its own") {
  const auto dataset = numbered(70);
  const data::LoaderOptions options{.last = pad_and_mask, .weights = std::vector<f64>(70, 0.25)};
  auto loader = data::loader<32>(dataset, options);
  CHECK(loader.batches() == 3);
  const std::vector<i32> all = drawn(loader);
  CHECK(all.size() == 70);
  CHECK(drawn(data::loader<32>(dataset, options)) != all);  // no seed given: another one
}

TEST_CASE("loader: without replacement each sample comes once, the next from what is left") {
  const auto dataset = numbered(3);
  std::map<std::vector<i32>, int> seen;
  constexpr int trials = 20'000;
  auto loader = data::loader<2>(dataset, {.seed = 1, .weights = {1, 2, 5}, .draws = 2, .replacement = false});
  for (int epoch = 0; epoch < trials; ++epoch) ++seen[drawn(loader.epoch(epoch))];
  REQUIRE(seen.size() == 6);
  const f64 w[]{1, 2, 5};
  f64 chi_squared = 0;
  for (const auto& [pair, count] : seen) {
    const f64 first = w[pair[0]], second = w[pair[1]];
    const f64 expected = trials * first / 8 * second / (8 - first);
    chi_squared += (count - expected) * (count - expected) / expected;
  }
  CHECK(chi_squared < 20.5);  // 5 degrees of freedom: probability 1e-3

  // all of them, weights of every size
  std::vector<f64> wide(1000);
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = i % 2 == 0 ? 1e-12 : 1e12;
  auto all =
      drawn(data::loader<1000>(numbered(1000), {.seed = 3, .weights = wide, .replacement = false}).epoch(0));
  std::sort(all.begin(), all.end());
  for (i32 i = 0; i < 1000; ++i) REQUIRE(all[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("loader: batches of samples of like length") {
  constexpr i64 n = 4001;
  const auto dataset = numbered(n);
  std::vector<i64> lengths;
  for (i64 i = 0; i < n; ++i) lengths.push_back(i * 7919 % 997);
  const auto spread = [&](const std::vector<i32>& all) {  // of the batches, on average
    i64 sum = 0;
    for (std::size_t at = 0; at + 8 <= all.size(); at += 8) {
      const auto length = [&](std::size_t k) { return lengths[static_cast<std::size_t>(all[at + k])]; };
      i64 least = length(0), most = least;
      for (std::size_t k = 1; k < 8; ++k)
        least = std::min(least, length(k)), most = std::max(most, length(k));
      sum += most - least;
    }
    return sum / static_cast<i64>(all.size() / 8);
  };
  SUBCASE("at random") {
    auto loader =
        data::loader<8>(dataset, {.shuffle = true, .seed = 2, .last = pad_and_mask, .lengths = lengths});
    const auto first = drawn(loader), second = drawn(loader);
    CHECK(spread(drawn(data::loader<8>(dataset, {.shuffle = true, .seed = 2}))) > 500);
    CHECK(spread(first) < 30);
    CHECK(first != second);
    CHECK(drawn(loader.epoch(0)) == first);
    CHECK(std::set<i32>(first.begin(), first.end()).size() == n);
    // the order of the batches does not follow their lengths
    i64 longer = 0;
    for (std::size_t at = 8; at + 8 <= first.size(); at += 8)
      longer +=
          lengths[static_cast<std::size_t>(first[at])] > lengths[static_cast<std::size_t>(first[at - 8])];
    CHECK(longer > 200);
    CHECK(longer < 300);
    CHECK(first.back() != second.back());  // what fills no batch is not always the same
  }
  SUBCASE("in the order of the dataset") {
    const auto all = drawn(data::loader<8>(dataset, {.last = pad_and_mask, .lengths = lengths}));
    CHECK(spread(all) < 30);
    CHECK(all.back() == n - 1);
    CHECK(std::set<i32>(all.begin(), all.end()).size() == n);
  }
  SUBCASE("at one time on all ranks") {
    std::vector<std::vector<i32>> of_rank;
    for (i64 r = 0; r < 2; ++r)
      of_rank.push_back(drawn(
          data::loader<8>(dataset, {.shuffle = true, .seed = 2, .rank = r, .ranks = 2, .lengths = lengths})));
    i64 apart = 0;
    for (std::size_t at = 0; at < of_rank[0].size(); at += 8)
      apart += std::abs(lengths[static_cast<std::size_t>(of_rank[0][at])] -
                        lengths[static_cast<std::size_t>(of_rank[1][at])]);
    CHECK(apart / static_cast<i64>(of_rank[0].size() / 8) < 30);
    std::set<i32> both(of_rank[0].begin(), of_rank[0].end());
    both.insert(of_rank[1].begin(), of_rank[1].end());
    CHECK(both.size() == 4000);
  }
}

namespace {

struct SeedOption {  // as the option of a trainer
  static constexpr int option = 0;
  u64 value = 0;
};

}  // namespace

TEST_CASE("loader: weights, lengths and a seed of other types") {
  const auto dataset = numbered(40);
  const std::vector<f32> weights(40, 0.5f);
  const std::vector<int> lengths(40, 3);
  const auto of = [&](const data::LoaderOptions& options) {
    return drawn(data::loader<8>(dataset, options).epoch(0));
  };
  const auto plain = of({.seed = 7, .weights = std::vector<f64>(40, 0.5)});
  CHECK(of({.seed = SeedOption{7}, .weights = weights}) == plain);
  const auto grouped = of({.shuffle = true, .seed = 7, .lengths = std::vector<i64>(40, 3)});
  CHECK(of({.shuffle = true, .seed = 7, .lengths = lengths}) == grouped);
}

TEST_CASE("loader: weights and lengths that do not fit") {
  const auto dataset = numbered(4);
  const auto id = [&](const data::LoaderOptions& options) {
    return testing::error_of([&] { data::loader<2>(dataset, options); });
  };
  CHECK(id({.weights = {1, 2, 3}}) == "loader/weights");
  CHECK(id({.weights = {1, -2, 3, 4}}) == "loader/weights");
  CHECK(id({.weights = {1, 0.0 / 0.0, 3, 4}}) == "loader/weights");
  CHECK(id({.weights = {1, 1 / 0.0, 3, 4}}) == "loader/weights");
  CHECK(id({.weights = {0, 0, 0, 0}}) == "loader/weights");
  CHECK(id({.weights = {1, 2, 3, 4}, .draws = -1}) == "loader/weights");
  CHECK(id({.weights = {1, 2, 0, 0}, .replacement = false}) == "loader/weights");
  CHECK(id({.draws = 8}) == "loader/weights");
  CHECK(id({.weights = {1, 2, 3, 4}, .lengths = {1, 2, 3, 4}}) == "loader/weights");
  CHECK(id({.lengths = {1, 2, 3}}) == "loader/lengths");
  const auto stream =
      data::from_generator([](i64) { return [] { return std::optional<std::tuple<f32>>(); }; });
  CHECK(testing::error_of([&] { data::loader<2>(stream, {.weights = {1}}); }) == "loader/shuffle");
  CHECK(testing::error_of([&] { data::loader<2>(stream, {.lengths = {1}}); }) == "loader/shuffle");
  CHECK(testing::error_of([&] { data::loader<2>(stream, {.draws = 1}); }) == "loader/shuffle");
}
