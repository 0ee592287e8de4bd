#include "weft/kernel_ir/tiling.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/compile_verified.hpp"
#include "support/random_graph.hpp"

using namespace weft;
using kernel_ir::Tiling;

namespace {

// The tiling of the kernel that stores the only result.
template <class F>
Tiling tiling_of(const Dims& d, F f, DType t = DType::f32) {
  ir::Builder b;
  const ir::Value x{&b, b.leaf(ir::Op::input, t, d, 0)};
  b.graph.inputs.push(x.id);
  b.graph.outputs.push(f(x).id);
  const compiler::Module m = testing::compile_verified(b.graph);
  return m.plan.tilings[m.fusion.kernel_of[m.graph.outputs[0]]];
}
ir::Value swapped(ir::Value x) {
  const i64 order[]{1, 0};
  return ir::permute(x, order);
}
ir::Value doubled(ir::Value x) { return x * ir::constant_like(x, 2); }

}  // namespace

TEST_CASE("tiling: chunks cover the rows once, and rows and columns the space") {
  for (u32 seed = 0; seed < 500; ++seed) {
    const testing::RandomGraph random(seed, {.steps = 24, .size = 20000});
    const compiler::Module m = compiler::compile_graph(random.graph());
    for (int k = 0; k < m.fusion.kernels.size(); ++k) {
      const kernel_ir::Kernel& kernel = m.fusion.kernels[k];
      const Tiling& t = m.plan.tilings[k];
      if (kernel.opaque >= 0 || kernel.stores.size == 0) continue;
      CAPTURE(seed);
      REQUIRE(t.rows_per_chunk >= 1);
      const bool cut = t.batch_rows > 0 && t.parts() > 1;  // chunks are parts of a batch
      const i64 length = cut ? t.batch_rows : t.by_elements ? kernel.space.size() : t.rows;
      const i64 chunks = cut ? t.parts() : t.chunks;
      if (cut) REQUIRE(t.chunks == t.parts() * t.batches());
      if (t.batch_rows > 0) REQUIRE(t.batches() * t.batch_rows == t.rows);
      REQUIRE(chunks * t.rows_per_chunk >= length);
      REQUIRE((chunks - 1) * t.rows_per_chunk < (length > 0 ? length : 1));
      if (t.flat)
        REQUIRE(t.rows * t.cols >= kernel.space.size());
      else
        REQUIRE(t.rows * t.cols == kernel.space.size());
    }
  }
}

TEST_CASE("tiling: elementwise work is a flat walk in tiles, large work many chunks") {
  const Tiling small = tiling_of(Dims{2, {8, 16}}, doubled);
  CHECK(small.flat);
  CHECK(small.rows == 1);
  CHECK(small.cols == 128);
  const Tiling large = tiling_of(Dims{2, {1024, 1024}}, doubled);
  CHECK(large.flat);
  CHECK(large.cols == kernel_ir::flat_tile);
  CHECK(large.rows == 256);
  CHECK(large.chunks == 64);
}

TEST_CASE("tiling: sums keep few partial results: at most 16 or 64, or one of 256 rows") {
  const auto columns = [](ir::Value x) { return ir::reduce(ir::Op::reduce_sum, x, 0b01); };
  const auto total = [](ir::Value x) { return ir::reduce(ir::Op::reduce_sum, x, 0b11); };
  for (const i64 rows : {1, 100, 10000, 1000000}) {
    CHECK(tiling_of(Dims{2, {rows, 64}}, columns).chunks <= std::max<i64>(16, rows / 256 + 1));
    CHECK(tiling_of(Dims{2, {rows, 64}}, total).chunks <= std::max<i64>(64, rows / 256 + 1));
  }
  // of size alone: another dtype is tiled alike
  const Tiling a = tiling_of(Dims{2, {10000, 64}}, columns),
               b = tiling_of(Dims{2, {10000, 64}}, columns, DType::f64);
  CHECK(a.rows_per_chunk == b.rows_per_chunk);
  CHECK(a.chunks == b.chunks);
}

TEST_CASE("tiling: a total has the chunks of its own extents, in a flat walk and in one over rows") {
  const auto total = [](ir::Value x) { return ir::reduce(ir::Op::reduce_sum, x, 0b11); };
  const auto of_transposed = [](ir::Value x) {
    return ir::reduce(ir::Op::reduce_sum, swapped(x) * 2.0, 0b11);
  };
  const Tiling flat = tiling_of(Dims{2, {300, 77}}, total),
               rows = tiling_of(Dims{2, {77, 300}}, of_transposed);
  CHECK(flat.flat);
  CHECK(!rows.flat);
  CHECK(flat.by_elements);
  CHECK(rows.by_elements);
  CHECK(flat.rows_per_chunk == 212 * 77);  // as many whole rows as 16384 elements hold
  CHECK(rows.rows_per_chunk == flat.rows_per_chunk);
  CHECK(flat.chunks == 2);
  CHECK(rows.chunks == 2);
  // tiles, where a row is longer than one, or all is one row
  CHECK(tiling_of(Dims{2, {8, 50257}}, total).rows_per_chunk % 4 == 0);
  CHECK(!tiling_of(Dims{2, {8, 50257}}, total).by_elements);
  CHECK(!tiling_of(Dims{2, {1, 50257}}, total).by_elements);
}

TEST_CASE("tiling: batches of rows with sums of their own are cut where that leaves many rows") {
  const auto middle = [](ir::Value x) { return ir::reduce(ir::Op::reduce_sum, x, 0b010); };
  // enough batches, or few rows: in one part
  for (const Dims& d : {Dims{3, {32, 200, 768}}, Dims{3, {2, 20, 768}}, Dims{3, {1000, 3, 5}}}) {
    const Tiling t = tiling_of(d, middle);
    CHECK(t.parts() == 1);
    CHECK(t.batch_rows == d.extent[1]);
    CHECK(t.rows_per_chunk % t.batch_rows == 0);
  }
  // small batches go together
  CHECK(tiling_of(Dims{3, {10000, 3, 5}}, middle).rows_per_chunk == 1092 * 3);
  const Tiling few = tiling_of(Dims{3, {3, 5000, 768}}, middle);
  CHECK(few.parts() > 1);
  CHECK(few.rows_per_chunk >= 32);
  CHECK(few.rows_per_chunk <= 256);
  CHECK(few.chunks == 3 * few.parts());
}
