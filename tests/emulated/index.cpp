#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/numbers.hpp"
#include "weft/kernels/axis/rows.hpp"
#include "weft/kernels/fused/combine_partials.hpp"
#include "weft/kernels/team/emulated.hpp"

using namespace weft;

namespace {

std::vector<i32> some_indices(int count, int rows) {
  std::vector<i32> index(static_cast<std::size_t>(count));
  u32 state = 9;
  for (i32& i : index) {
    state = state * 1664525u + 1013904223u;
    i = static_cast<i32>((state >> 16) % static_cast<u32>(rows + 2)) - 1;  // -1 and `rows` are outside
  }
  return index;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void check_scatter_add(i64 rows, i64 count, i64 width, int threads) {
  const std::vector<i32> index = some_indices(static_cast<int>(count), static_cast<int>(rows));
  const std::vector<T> update = testing::numbers<T>(count * width, 5);
  // what it means: from zero, in the order of the indices, rounded after every addition
  std::vector<T> expected(static_cast<std::size_t>(rows * width), T(0));
  for (i64 i = 0; i < count; ++i) {
    const i64 row = index[static_cast<std::size_t>(i)];
    if (row < 0 || row >= rows) continue;
    for (i64 j = 0; j < width; ++j) {
      T& to = expected[static_cast<std::size_t>(row * width + j)];
      to = T(static_cast<float>(to) + static_cast<float>(update[static_cast<std::size_t>(i * width + j)]));
    }
  }
  std::vector<T> out(expected.size(), T(7));
  const kernels::IndexArgs args{update.data(), index.data(), out.data(), rows, count, width};
  const i64 tiles = (width + threads - 1) / threads;
  for (u64 seed = 1; seed < 4; ++seed) {
    const int row_bits = static_cast<int>(seed) - 1;
    std::fill(out.begin(), out.end(), T(7));
    emulate_grid(tiles << row_bits, threads, kernels::scatter_shared_bytes(threads), seed,
                 [&](EmulatedTeam& team, i64 block) {
                   kernels::scatter_add_columns<T, i32>(team, args, block & ((i64{1} << row_bits) - 1),
                                                        row_bits, (block >> row_bits) * threads);
                 });
    CHECK(same_bits(out, expected));
  }
  std::vector<T> serial(expected.size(), T(7));
  const kernels::IndexArgs host{update.data(), index.data(), serial.data(), rows, count, width};
  kernels::scatter_add_tile<T, i32>(host, 0, rows, 0, width);
  CHECK(same_bits(serial, expected));
}

}  // namespace

TEST_CASE("index: scatter_add adds in the order of the indices, whatever runs it") {
  check_scatter_add<f32>(23, 300, 10, 32);
  check_scatter_add<f32>(7, 129, 70, 64);
  check_scatter_add<bf16>(11, 200, 33, 128);
  check_scatter_add<f32>(3, 5000, 5, 64);  // more hits than a block sorts at once
  check_scatter_add<f32>(1, 3000, 3, 32);
}

TEST_CASE("index: take_rows copies rows and marks those outside the table") {
  const i64 rows = 9, count = 41, width = 8;
  const std::vector<i32> index = some_indices(static_cast<int>(count), static_cast<int>(rows));
  const std::vector<f32> table = testing::numbers<f32>(rows * width, 5);
  std::vector<f32> wide(static_cast<std::size_t>(count * width)), narrow(wide.size());
  for (const int threads : {32, 128}) {
    const kernels::IndexArgs a{table.data(), index.data(), wide.data(), rows, count, width};
    const kernels::IndexArgs b{table.data(), index.data(), narrow.data(), rows, count, width};
    emulate_block(threads, 0, 3,
                  [&](EmulatedTeam& team) { kernels::gather_rows<f32, i32, 16>(team, a, 0, count); });
    emulate_block(threads, 0, 4,
                  [&](EmulatedTeam& team) { kernels::gather_rows<f32, i32, 4>(team, b, 0, count); });
    for (i64 i = 0; i < count * width; ++i) {
      const i64 row = index[static_cast<std::size_t>(i / width)];
      const f32 x = wide[static_cast<std::size_t>(i)], y = narrow[static_cast<std::size_t>(i)];
      if (row < 0 || row >= rows) {
        CHECK(std::isnan(x));
        CHECK(std::isnan(y));
      } else {
        CHECK(x == table[static_cast<std::size_t>(row * width + i % width)]);
        CHECK(y == x);
      }
    }
  }
}

TEST_CASE("combine_partials: chunks of several sums become one, in any team") {
  using kernels::Fold;
  constexpr i64 chunks = 37, stride = 1024;
  std::vector<char> partial(chunks * stride);
  std::vector<f32> a(100), total(1);
  std::vector<f64> b(20);
  std::vector<double> expect_a(a.size(), 0.0), expect_b(b.size(), -1e300);
  double expect_total = 0;
  const std::vector<f32> values = testing::numbers<f32>(chunks * 121, 5);
  for (i64 c = 0; c < chunks; ++c) {
    for (i64 i = 0; i < 121; ++i) {
      const f32 v = values[static_cast<std::size_t>(c * 121 + i)];
      char* at = partial.data() + c * stride;
      if (i < 100) {
        std::memcpy(at + 4 * i, &v, 4);
        expect_a[static_cast<std::size_t>(i)] += static_cast<double>(v);
      } else if (i < 120) {
        const double wide = static_cast<double>(v);
        std::memcpy(at + 448 + 8 * (i - 100), &wide, 8);
        double& best = expect_b[static_cast<std::size_t>(i - 100)];
        best = std::max(best, wide);
      } else {
        std::memcpy(at + 640, &v, 4);
        expect_total += static_cast<double>(v);
      }
    }
  }
  const kernels::PartialSum sums[] = {
      kernels::partial_sum({chunks, stride, 100, DType::f32, Fold::sum}, partial.data(), a.data()),
      kernels::partial_sum({chunks, stride, 20, DType::f64, Fold::max}, partial.data() + 448, b.data()),
      kernels::partial_sum({chunks, stride, 1, DType::f32, Fold::sum}, partial.data() + 640, total.data())};
  constexpr u64 set =
      kernels::combine_set(DType::f32, Fold::sum) | kernels::combine_set(DType::f64, Fold::max);
  for (const int threads : {1, 32, 256}) {
    i64 blocks = 0;
    const kernels::CombineArgs args = kernels::combine_args(sums, 3, threads, blocks);
    if (threads == 1) {
      SerialTeam team;
      for (i64 i = 0; i < blocks; ++i) kernels::combine_block<set>(team, args, i);
    } else {
      emulate_grid(blocks, threads, 8 * threads, 11,
                   [&](EmulatedTeam& team, i64 block) { kernels::combine_block<set>(team, args, block); });
    }
    for (std::size_t i = 0; i < a.size(); ++i)
      CHECK(std::abs(static_cast<double>(a[i]) - expect_a[i]) < 1e-4);
    for (std::size_t i = 0; i < b.size(); ++i) CHECK(b[i] == expect_b[i]);
    CHECK(std::abs(static_cast<double>(total[0]) - expect_total) < 1e-4);
    a.assign(a.size(), 0);
    b.assign(b.size(), 0);
    total[0] = 0;
  }
}
