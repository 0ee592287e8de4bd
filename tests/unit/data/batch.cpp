#include "weft/data/batch.hpp"

#include <doctest/doctest.h>

using namespace weft;

TEST_CASE("batch: arrays know their shape") {
  data::Array<f32> array({2, 3, 4});
  CHECK(array.rank() == 3);
  CHECK(array.size() == 24);
  CHECK(array.extent(0) == 2);
  CHECK(array.extent(2) == 4);
  array.data()[23] = 5.0f;
  CHECK(array[23] == 5.0f);
  CHECK(data::Array<f32>(std::vector<i64>{}).size() == 1);
}

TEST_CASE("batch: fields bind to names and can be written through") {
  data::Batch<2, f32, i32> batch(data::Array<f32>({2, 2}), data::Array<i32>({2}));
  auto& [x, y] = batch;
  static_assert(std::is_same_v<decltype(x), data::Array<f32>>);
  static_assert(std::is_same_v<decltype(y), data::Array<i32>>);
  y.data()[1] = 4;
  CHECK(batch.get<1>()[1] == 4);
  CHECK(batch.batch_size == 2);
}

TEST_CASE("batch: a refilled batch keeps nothing of the one before") {
  using Sample = std::tuple<f32, i32>;
  data::BatchBuilder<data::Batch<3, f32, i32>> builder(Sample(1.0f, 1), -1);
  for (i64 row = 0; row < 3; ++row) builder.put(row, Sample(2.0f, 2), row);
  builder.finish(3);
  CHECK(builder.batch().valid() == 3);
  const f32* memory = builder.batch().get<0>().data();
  builder.put(0, Sample(3.0f, 3), 0);
  builder.finish(1);
  CHECK(builder.batch().valid() == 1);
  CHECK(builder.batch().get<0>().data() == memory);
  CHECK(builder.batch().get<0>()[0] == 3.0f);
  CHECK(builder.batch().get<0>()[1] == 0.0f);
  CHECK(builder.batch().get<1>()[0] == 3);
  CHECK(builder.batch().get<1>()[2] == -100);
}
