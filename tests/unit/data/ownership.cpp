// Loaders, adaptors and rows own what they read.
#include <doctest/doctest.h>

#include <functional>
#include <memory>

#include "support/error_of.hpp"
#include "weft/data/loader.hpp"
#include "weft/data/stream.hpp"

using namespace weft;
using testing::error_of;

namespace {

struct Own {
  std::vector<f32> values;
  i64 size() const { return static_cast<i64>(values.size()); }
  std::tuple<f32, i32> operator[](i64 i) const {
    return {values[static_cast<std::size_t>(i)], static_cast<i32>(i)};
  }
};
struct MoveOnly {
  std::unique_ptr<Own> own;
  i64 size() const { return own->size(); }
  std::tuple<f32, i32> operator[](i64 i) const { return (*own)[i]; }
};

template <class Range>
f32 sum(Range&& range) {
  f32 total = 0;
  for (auto& batch : range)
    for (const f32 v : batch.template get<0>()) total += v;
  return total;
}

auto local_loader() {
  const Own dataset{{1, 2, 3, 4}};
  return data::loader<2>(dataset);
}
auto local_parts() {
  const data::Arrays<f32, i32> rows({{1, 2, 3, 4}, {}}, {{0, 0, 0, 0}, {}});
  const Own other{{10, 20}};
  return data::loader<1>(data::subset(data::concat(rows.size() == 4 ? other : Own{}, other), {1, 2}));
}

}  // namespace

TEST_CASE("ownership: loaders of local datasets") {
  auto loader = local_loader();
  CHECK(sum(loader) == 10.0f);
  CHECK(sum(local_loader().epoch(0)) == 10.0f);
  CHECK(sum(local_parts()) == 30.0f);
  auto stream = [] {
    return data::loader<2>(data::from_generator([](i64) {
      return [i = 0]() mutable -> std::optional<std::tuple<f32>> {
        return i < 4 ? std::optional(std::tuple(static_cast<f32>(++i))) : std::nullopt;
      };
    }));
  }();
  CHECK(sum(stream) == 10.0f);
  CHECK(sum(data::loader<2>(MoveOnly{std::make_unique<Own>(Own{{1, 2}})})) == 3.0f);
}

TEST_CASE("ownership: std::ref shares a dataset with the caller, an lvalue is copied") {
  Own dataset{{1, 2}};
  auto shared = data::loader<2>(std::ref(dataset));
  auto copied = data::loader<2>(dataset);
  dataset.values = {5, 6};
  CHECK(sum(shared) == 11.0f);
  CHECK(sum(copied) == 3.0f);
}

TEST_CASE("ownership: copies of Arrays share their rows, and rows keep them") {
  auto row = [] {
    data::Arrays<f32> rows({{1, 2, 3, 4}, {2}});
    const auto copy = rows;
    CHECK(std::get<0>(copy[1]).data() == std::get<0>(rows[1]).data());
    return std::get<0>(copy[1]);
  }();
  CHECK(row[1] == 4.0f);
  CHECK(row.shape() == std::vector<i64>{2});
  const data::Arrays<f32> rows({{1, 2, 3, 4}, {2}});
  CHECK(error_of([&] { rows[2]; }) == "data/index");
  CHECK(error_of([&] { rows[-1]; }) == "data/index");
  CHECK(error_of([&] { data::subset(rows, {0})[1]; }) == "data/index");
  CHECK(error_of([&] { data::concat(rows, rows)[4]; }) == "data/index");
}

TEST_CASE("ownership: a loop inside a loop over one loader is an Error, over epoch() it is none") {
  auto loader = local_loader();
  CHECK(error_of([&] {
          for (auto& outer : loader)
            for (auto& inner : loader) outer.get<0>().data()[0] += inner.get<0>()[0];
        }) == "loader/nested");
  f32 total = 0;
  for (auto& outer : loader) total += outer.get<0>()[0] * sum(loader.epoch(0));
  CHECK(total == 40.0f);
  for ([[maybe_unused]] auto& batch : loader) break;
  CHECK(sum(loader) == 10.0f);  // after a break another may begin
  auto copy = loader;
  for ([[maybe_unused]] auto& batch : loader) CHECK(sum(copy) == 10.0f);
  auto moved = std::move(loader);
  CHECK(error_of([&] { loader.begin(); }) == "loader/moved");
  CHECK(error_of([&] { loader.position(); }) == "loader/moved");
  CHECK(sum(moved) == 10.0f);
}
