#include "weft/data/loader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "../io/scratch.hpp"
#include "weft/data/digits.hpp"
#include "weft/data/random_split.hpp"
#include "weft/data/stream.hpp"

using namespace weft;
using data::Position;

// Samples ([i, i + 0.5], i).
static auto numbered(i64 n) {
  return data::from_function(n, [](i64 i) {
    return std::tuple<std::array<f32, 2>, i32>({static_cast<f32>(i), static_cast<f32>(i) + 0.5f},
                                               static_cast<i32>(i));
  });
}
// The labels of all valid rows of a range of batches.
template <class Range>
static std::vector<i32> labels(Range&& range) {
  std::vector<i32> out;
  for (auto& batch : range) {
    auto& [x, y] = batch;
    for (i64 i = 0; i < batch.valid(); ++i) {
      REQUIRE(x[2 * i] == static_cast<f32>(y[i]));
      REQUIRE(x[2 * i + 1] == static_cast<f32>(y[i]) + 0.5f);
      out.push_back(y[i]);
    }
  }
  return out;
}
static std::vector<i32> first_numbers(i32 n) {
  std::vector<i32> out;
  for (i32 i = 0; i < n; ++i) out.push_back(i);
  return out;
}
static std::vector<i32> sorted(std::vector<i32> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST_CASE("loader: the program of the README") {
  auto digits = data::load_digits(repository_file("examples/data/digits.bin"));
  i64 batches = 0;
  for (auto& [image, label] : data::loader<128>(digits.train, {.shuffle = true})) {
    CHECK(image.rank() == 2);
    CHECK(image.extent(0) == 128);
    CHECK(image.extent(1) == 64);
    CHECK(image.size() == 128 * 64);
    CHECK(label.rank() == 1);
    CHECK(label.size() == 128);
    static_assert(std::is_same_v<decltype(std::as_const(image).data()), const f32*>);
    static_assert(std::is_same_v<decltype(std::as_const(label).data()), const i32*>);
    ++batches;
  }
  CHECK(batches == 11);  // 1437 = 11 * 128 + 29
}

TEST_CASE("loader: in order, the rest dropped or padded") {
  const auto dataset = numbered(10);
  auto dropping = data::loader<4>(dataset);
  CHECK(dropping.batches() == 2);
  CHECK(labels(dropping) == first_numbers(8));
  auto padding = data::loader<4>(dataset, {.last = data::last::pad_and_mask});
  CHECK(padding.batches() == 3);
  CHECK(labels(padding) == first_numbers(10));
  std::vector<i64> valid;
  for (auto& batch : padding) {
    valid.push_back(batch.valid());
    if (batch.valid() == 4) continue;
    auto& [x, y] = batch;
    for (i64 i = 4; i < 8; ++i) CHECK(x[i] == 0.0f);
    CHECK(y[2] == -100);
    CHECK(y[3] == -100);
  }
  CHECK(valid == std::vector<i64>{4, 4, 2});
  CHECK(labels(data::loader<5>(dataset, {.last = data::pad_and_mask})) == first_numbers(10));
}

TEST_CASE("loader: a vector of pairs is a dataset") {
  std::vector<std::pair<std::array<f32, 2>, i32>> samples;
  for (i32 i = 0; i < 10; ++i) samples.push_back({{static_cast<f32>(i), static_cast<f32>(i) + 0.5f}, i});
  CHECK(labels(data::loader<4>(samples, {.last = data::pad_and_mask})) == first_numbers(10));
  CHECK(sorted(labels(data::loader<5>(samples, {.shuffle = true}))) == first_numbers(10));
  const auto [train, rest] = data::random_split(samples, {0.8, 0.2}, 1);
  CHECK(sorted(labels(data::loader<10>(data::concat(train, rest)))) == first_numbers(10));
  struct Stream {
    auto stream(i64) const {
      return [i = 0]() mutable {
        std::optional<std::pair<std::array<f32, 2>, i32>> next;
        if (i < 6) next = {{static_cast<f32>(i), static_cast<f32>(i) + 0.5f}, i};
        ++i;
        return next;
      };
    }
  };
  CHECK(labels(data::loader<3>(Stream{})) == first_numbers(6));
}

TEST_CASE("loader: padding of every kind of field") {
  const auto dataset = data::from_function(1, [](i64) {
    return std::tuple<i64, u8, std::vector<i32>, f64>(7, u8{7}, {7, 7, 7}, 7.0);
  });
  for (auto& [id, byte, label, weight] : data::loader<2>(dataset, {.last = data::pad_and_mask})) {
    CHECK(label.extent(1) == 3);
    CHECK(std::vector<i32>(label.begin(), label.end()) == std::vector<i32>{7, 7, 7, -100, -100, -100});
    CHECK(id[1] == 0);  // not the last signed integer field: an input, such as a token
    CHECK(byte[1] == 0);
    CHECK(weight[1] == 0.0);
  }
  for (auto& [id, byte, label, weight] :
       data::loader<2>(dataset, {.last = data::pad_and_mask, .label_field = 0})) {
    CHECK(id[1] == -100);
    CHECK(label[3] == 0);
  }
  const auto id = [&](int field) {
    return error_id([&] { data::loader<1>(dataset, {.label_field = field}).begin(); });
  };
  CHECK(id(1) == "loader/label-field");
  CHECK(id(3) == "loader/label-field");
  CHECK(id(4) == "loader/label-field");
  CHECK(id(-2) == "loader/label-field");
  CHECK(id(2) == "no error");
}

TEST_CASE("loader: each pass shuffles anew, from seed and epoch alone") {
  const auto dataset = numbered(40);
  auto loader = data::loader<4>(dataset, {.shuffle = true, .seed = 3});
  const auto epoch0 = labels(loader), epoch1 = labels(loader), epoch2 = labels(loader);
  CHECK(sorted(epoch0) == first_numbers(40));
  CHECK(sorted(epoch1) == first_numbers(40));
  CHECK(epoch0 != epoch1);
  CHECK(epoch1 != epoch2);
  CHECK(labels(loader.epoch(1)) == epoch1);
  CHECK(labels(loader.epoch(0)) == epoch0);
  CHECK(loader.position() == Position{3, 0});  // epoch(e) moves nothing
  CHECK(labels(data::loader<4>(numbered(40), {.shuffle = true, .seed = 3})) == epoch0);
  CHECK(labels(data::loader<4>(dataset, {.shuffle = true, .seed = 4})) != epoch0);
  CHECK(labels(data::loader<8>(dataset, {.shuffle = true, .seed = 3})) == epoch0);
}

TEST_CASE("loader: dropping drops other samples each epoch") {
  const auto dataset = numbered(7);
  auto loader = data::loader<4>(dataset, {.shuffle = true});
  std::vector<i32> seen;
  for (int epoch = 0; epoch < 30; ++epoch) {
    const auto some = labels(loader);
    REQUIRE(some.size() == 4);
    seen.insert(seen.end(), some.begin(), some.end());
  }
  for (const i32 i : first_numbers(7)) CHECK(std::count(seen.begin(), seen.end(), i) > 0);
}

TEST_CASE("loader: position is the batch that comes next, and seek returns to it") {
  const auto dataset = numbered(20);
  const data::LoaderOptions options{.shuffle = true, .seed = 11};
  auto loader = data::loader<4>(dataset, options);
  CHECK(loader.position() == Position{0, 0});
  std::vector<Position> positions;
  std::vector<i32> all;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : loader) {
      positions.push_back(loader.position());
      all.insert(all.end(), batch.get<1>().begin(), batch.get<1>().end());
    }
  REQUIRE(positions.size() == 10);
  CHECK(positions[0] == Position{0, 1});
  CHECK(positions[4] == Position{1, 0});
  CHECK(positions[9] == Position{2, 0});
  for (std::size_t at = 0; at + 1 < positions.size(); ++at) {
    auto resumed = data::loader<4>(dataset, options);
    resumed.seek(positions[at]);
    CHECK(resumed.position() == positions[at]);
    std::vector<i32> rest;
    while (resumed.position().epoch < 2)
      for (auto& batch : resumed) rest.insert(rest.end(), batch.get<1>().begin(), batch.get<1>().end());
    CHECK(rest == std::vector<i32>(all.begin() + static_cast<i64>(at + 1) * 4, all.end()));
  }
  CHECK(labels(loader.epoch(1, 3)) == std::vector<i32>(all.begin() + 32, all.end()));
}

TEST_CASE("loader: a pass that ended early is not taken up again") {
  const auto dataset = numbered(20);
  auto loader = data::loader<4>(dataset, {.shuffle = true});
  for (auto& batch : loader) {
    CHECK(batch.valid() == 4);
    break;
  }
  CHECK(loader.position() == Position{0, 1});
  CHECK(labels(loader) == labels(loader.epoch(1)));
  loader.seek({5, 5});  // past the last batch: the next epoch
  CHECK(loader.position() == Position{6, 0});
  CHECK(labels(loader) == labels(loader.epoch(6)));
}

TEST_CASE("loader: seek inside a `for` is where the next one starts") {
  auto loader = data::loader<4>(numbered(20), {.shuffle = true});
  std::vector<i32> first;
  int seen = 0;
  for (auto& batch : loader) {
    if (seen == 0) first.assign(batch.get<1>().begin(), batch.get<1>().end());
    if (++seen == 3) loader.seek({0, 0});
  }
  CHECK(seen == 5);
  CHECK(loader.position() == Position{0, 0});
  for (auto& batch : loader) {
    CHECK(std::equal(first.begin(), first.end(), batch.get<1>().begin()));
    break;
  }
}

TEST_CASE("loader: batches may be moved out of it") {
  std::vector<data::Batch<4, f32, i32>> kept;
  for (auto& batch : data::loader<4>(numbered(10), {.last = data::pad_and_mask}))
    kept.push_back(std::move(batch));
  REQUIRE(kept.size() == 3);
  CHECK(labels(kept) == first_numbers(10));
  CHECK(kept[2].get<1>().is_padded_somewhere());
  CHECK(kept[2].get<1>()[3] == -100);
}

TEST_CASE("loader: one that was moved from says so, and a dataset in memory stays what it was") {
  data::Arrays<f32> rows({{1, 2, 3, 4}, {}});
  auto first = data::loader<2>(rows);
  const auto second = std::move(first);
  CHECK(error_id([&] { first.size(); }) == "loader/moved");
  CHECK(error_id([&] { first.batches(); }) == "loader/moved");
  CHECK(second.size() == 4);
  const auto elsewhere = std::move(rows);
  CHECK(rows.size() == 4);
  CHECK(elsewhere.size() == 4);
}

TEST_CASE("loader: it may be moved, and own its dataset") {
  auto first = data::loader<4>(numbered(9));
  labels(first);
  auto second = std::move(first);
  CHECK(second.position() == Position{1, 0});
  CHECK(labels(second) == first_numbers(8));
}

TEST_CASE("loader: mistakes are errors") {
  const auto dataset = numbered(3);
  CHECK(error_id([&] { data::loader<4>(dataset); }) == "loader/too-few");
  CHECK(error_id([&] { data::loader<4>(dataset, {.last = data::pad_and_mask}); }) == "no error");
  CHECK(error_id([] { data::loader<4>(numbered(0), {.last = data::pad_and_mask}); }) == "loader/empty");
  auto loader = data::loader<1>(dataset);
  for (const Position bad : {Position{-1, 0}, Position{0, -1}, Position{0, 4}}) {
    CHECK(error_id([&] { loader.seek(bad); }) == "loader/position");
    CHECK(error_id([&] { loader.epoch(bad.epoch, bad.batch); }) == "loader/position");
  }
  const auto ragged = data::from_function(4, [](i64 i) {
    return std::tuple<std::vector<f32>>(std::vector<f32>(static_cast<std::size_t>(i == 2 ? 3 : 2)));
  });
  CHECK(error_text([&] {
          for (auto& batch : data::loader<2>(ragged)) CHECK(batch.valid() == 2);
        }) == "loader/ragged: field 0 of sample 2 has the shape (3), that of the first sample has (2)");
}

TEST_CASE("loader: rows with as many elements in another shape are refused") {
  const data::Arrays<f32> wide({{1, 2, 3, 4, 5, 6}, {2, 3}}), tall({{1, 2, 3, 4, 5, 6}, {3, 2}}),
      flat({{1, 2, 3, 4, 5, 6}, {6}});
  const auto refused = [](const auto& dataset) {
    return error_text([&] {
      for (auto& batch : data::loader<2>(dataset)) CHECK(batch.valid() == 2);
    });
  };
  CHECK(refused(data::concat(wide, wide)) == "no error");
  CHECK(refused(data::concat(wide, tall)) ==
        "loader/ragged: field 0 of sample 1 has the shape (3, 2), that of the first sample has (2, 3)");
  CHECK(refused(data::concat(wide, flat)) ==
        "loader/ragged: field 0 of sample 1 has the shape (6), that of the first sample has (2, 3)");
}

TEST_CASE("loader: ranks take turns in the batches of one loader alone") {
  const auto digits = data::load_digits(repository_file("examples/data/digits.bin"));
  const auto labels = [](auto& loader, i64 epoch) {
    std::vector<std::vector<i32>> all;
    for (auto& [x, y] : loader.epoch(epoch)) all.emplace_back(y.data(), y.data() + 64);
    return all;
  };
  for (const data::Last last : {data::drop, data::pad_and_mask}) {
    auto alone = data::loader<64>(digits.train, {.shuffle = true, .seed = 3, .last = last});
    const auto all = labels(alone, 1);
    for (const i64 ranks : {1, 2, 3, 5}) {
      const i64 want = last == data::drop ? alone.batches() / ranks : (alone.batches() + ranks - 1) / ranks;
      for (i64 r = 0; r < ranks; ++r) {
        auto loader = data::loader<64>(digits.train,
                                       {.shuffle = true, .seed = 3, .last = last, .rank = r, .ranks = ranks});
        CHECK(loader.batches() == want);
        const auto own = labels(loader, 1);
        REQUIRE(static_cast<i64>(own.size()) == want);
        for (i64 b = 0; b < want; ++b)  // the last round begins the epoch again
          CHECK(own[static_cast<std::size_t>(b)] ==
                all[static_cast<std::size_t>((b * ranks + r) % alone.batches())]);
      }
    }
  }
  CHECK_THROWS_AS(data::loader<64>(digits.train, {.rank = 2, .ranks = 2}), Error);
  CHECK_THROWS_AS(data::loader<64>(digits.train, {.rank = -1, .ranks = 2}), Error);
  CHECK_THROWS_AS(data::loader<64>(digits.train, {.ranks = 0}), Error);
  CHECK_THROWS_AS(data::loader<64>(digits.train, {.ranks = 1000}), Error);  // fewer batches than ranks
}
