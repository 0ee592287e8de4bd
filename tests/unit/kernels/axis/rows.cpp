#include "weft/kernels/axis/rows.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "weft/kernels/axis/host.hpp"

using namespace weft;
using namespace weft::kernels;

namespace {

constexpr u64 f32_word = static_cast<u64>(DType::f32), i64_word = static_cast<u64>(DType::i64);

struct Table {
  i64 rows, width, count;
};

// Sums in the order of the indices.
std::vector<f32> added(const Table& t, const std::vector<i64>& index, const std::vector<f32>& update) {
  std::vector<f32> r(static_cast<std::size_t>(t.rows * t.width));
  for (i64 i = 0; i < t.count; ++i) {
    const i64 row = index[static_cast<std::size_t>(i)];
    if (row < 0 || row >= t.rows) continue;
    for (i64 j = 0; j < t.width; ++j)
      r[static_cast<std::size_t>(row * t.width + j)] += update[static_cast<std::size_t>(i * t.width + j)];
  }
  return r;
}

}  // namespace

TEST_CASE("the pieces of a table cover it once") {
  for (const Table& t : {Table{1, 1, 1}, Table{7, 3, 100}, Table{50000, 256, 8192}, Table{4096, 1024, 4096},
                         Table{3, 100000, 5}, Table{1000000, 1, 5}, Table{600, 320, 700}}) {
    const TableCut cut = table_cut(t.rows, t.width, t.count);
    CHECK(cut.row_pieces * cut.rows >= t.rows);
    CHECK((cut.row_pieces - 1) * cut.rows < t.rows);
    CHECK(cut.column_pieces * cut.columns >= t.width);
    CHECK((cut.column_pieces - 1) * cut.columns < t.width);
  }
  CHECK(table_cut(0, 5, 5).row_pieces * table_cut(5, 0, 5).row_pieces == 0);
  CHECK(table_cut(600, 320, 700).row_pieces > 1);
  CHECK(table_cut(600, 320, 700).column_pieces > 1);
}

TEST_CASE("what is added to a table is added in the order of the indices, however the table is cut") {
  std::mt19937 random(1);
  for (const Table& t :
       {Table{7, 3, 100}, Table{600, 320, 700}, Table{4000, 256, 900}, Table{40000, 1, 50000}}) {
    std::vector<i64> index(static_cast<std::size_t>(t.count));
    std::vector<f32> update(static_cast<std::size_t>(t.count * t.width));
    for (i64& i : index) i = static_cast<i64>(random() % static_cast<u64>(t.rows / 2 + 3));
    for (f32& x : update) x = static_cast<f32>(random() % 1000) / 7;
    index[1] = t.rows;  // outside
    const std::vector<f32> wanted = added(t, index, update);
    for (const int threads : {1, 2}) {
      std::vector<f32> out(wanted.size(), -1);
      HostLaunch launch;
      launch.args.pointer[0] = update.data();
      launch.args.pointer[1] = index.data();
      launch.args.pointer[2] = out.data();
      const u64 numbers[]{static_cast<u64>(t.rows), static_cast<u64>(t.count), static_cast<u64>(t.width)};
      launch.numbers = numbers;
      run_scatter_add<Code<f32_word, i64_word>>(launch, threads);
      CHECK(out == wanted);

      out.assign(wanted.size(), -1);
      const auto n = [](i64 x) { return static_cast<u64>(x); };
      const u64 line[]{1, n(t.rows), n(t.width), 0, n(t.width), 1, n(t.count), 0, 1, 0, 0};
      launch.numbers = line;
      run_scatter<Code<f32_word, i64_word, 0>>(launch, threads);
      CHECK(out == wanted);

      // every column with indices of its own, which are the same
      std::vector<i64> spread(update.size());
      for (std::size_t i = 0; i < spread.size(); ++i)
        spread[i] = index[i / static_cast<std::size_t>(t.width)];
      out.assign(wanted.size(), -1);
      launch.args.pointer[1] = spread.data();
      const u64 apart[]{1, n(t.rows), n(t.width), 0, n(t.width), 1, n(t.count), 0, n(t.width), 1, 0};
      launch.numbers = apart;
      run_scatter<Code<f32_word, i64_word, 0>>(launch, threads);
      CHECK(out == wanted);
    }
  }
}
