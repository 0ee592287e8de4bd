// The kernels along one axis as GPU blocks, against the plain evaluation of
// tests/support/interpret_along_axis.hpp.

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "support/interpret_along_axis.hpp"
#include "weft/kernels/axis/host.hpp"
#include "weft/kernels/team/emulated.hpp"

using namespace weft;
using namespace weft::testing;
using kernels::AxisArgs;
using kernels::Fold;

namespace {

// Small integers: exact in every dtype, with many equal ones; some NaN, infinities and zeros of both signs.
template <class T>
std::vector<T> values(i64 count, bool special = false) {
  std::vector<T> v(static_cast<std::size_t>(count));
  u32 state = 11;
  for (T& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<i32>(state >> 16) % 40 - 20);
    if constexpr (std::is_floating_point_v<T>)
      if (special && state % 9 == 0)
        x = state % 2 == 0   ? std::numeric_limits<T>::quiet_NaN()
            : state % 5 == 0 ? -std::numeric_limits<T>::infinity()
                             : T(-0.0);
  }
  return v;
}
template <class T>
Array plain(const std::vector<T>& v) {
  return Array(v.begin(), v.end());
}
template <class T>
void check_same(const std::vector<T>& got, const Array& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double x = static_cast<double>(got[k]), y = expected[k];
    if (!(x == y || (x != x && y != y))) {
      FAIL_CHECK("element ", k, ": ", x, ", expected ", y);
      return;
    }
  }
}
AxisArgs contiguous(const ir::AxisExtents& s) {
  AxisArgs a;
  a.outer = s.outer, a.extent = s.extent, a.inner = s.inner;
  a.a_stride[0] = s.extent * s.inner, a.a_stride[1] = s.inner, a.a_stride[2] = 1;
  return a;
}

template <class T, Fold F>
void check_scan(const ir::AxisExtents& s, int threads, bool reversed) {
  std::vector<T> x = values<T>(s.outer * s.extent * s.inner, F == Fold::max);
  for (T& v : x)
    if (F == Fold::prod) v = v > 0 ? T(1) : T(-1);
  const Array expected = scan_lines(plain(x), s, static_cast<ir::Fold>(F), reversed, dtype_of<T>);
  std::vector<T> out(x.size(), T(3));
  AxisArgs args = contiguous(s);
  args.a = x.data(), args.out = out.data(), args.flag = reversed;
  args.count = s.extent;
  for (u64 seed = 1; seed < 3; ++seed) {
    out.assign(x.size(), T(3));
    emulate_grid(s.outer * s.inner, threads, threads / 4, seed,
                 [&](EmulatedTeam& team, i64 line) { kernels::scan_on<T, F>(team, args, line, 0); });
    check_same(out, expected);
  }
  out.assign(x.size(), T(3));
  for (i64 line = 0; line < s.outer * s.inner; ++line) kernels::scan_on_alone<T, F>(args, line, 0);
  check_same(out, expected);
  out.assign(x.size(), T(3));
  for (i64 b = 0; b * kernels::scan_block_lines < s.outer * s.inner; ++b) kernels::scan_block<T, F>(args, b);
  check_same(out, expected);
}

// Lines in pieces of `piece` elements, by teams and by single threads.
template <class T, Fold F>
void check_cut_scan(const ir::AxisExtents& s, i64 piece, bool reversed) {
  const std::vector<T> x = values<T>(s.outer * s.extent * s.inner, F == Fold::max);
  const Array expected = scan_lines(plain(x), s, static_cast<ir::Fold>(F), reversed, dtype_of<T>);
  const i64 lines = s.outer * s.inner, pieces = (s.extent + piece - 1) / piece;
  std::vector<kernels::fold_state<T, F>> folded(static_cast<std::size_t>(lines * (pieces - 1)));
  std::vector<T> out(x.size(), T(3));
  AxisArgs args = contiguous(s);
  args.a = x.data(), args.out = out.data(), args.scratch = folded.data(), args.flag = reversed;
  args.count = piece;
  emulate_grid(lines * (pieces - 1), 64, 16, 1, [&](EmulatedTeam& team, i64 b) {
    kernels::fold_piece<T, F>(team, args, b % lines, b / lines);
  });
  emulate_grid(lines * pieces, 64, 16, 2,
               [&](EmulatedTeam& team, i64 b) { kernels::scan_on<T, F>(team, args, b % lines, b / lines); });
  check_same(out, expected);
  out.assign(x.size(), T(3));
  folded.assign(folded.size(), {});
  for (i64 b = 0; b < lines * (pieces - 1); ++b) kernels::fold_piece_alone<T, F>(args, b % lines, b / lines);
  for (i64 b = 0; b < lines * pieces; ++b) kernels::scan_on_alone<T, F>(args, b % lines, b / lines);
  check_same(out, expected);
}

template <class T>
void check_argsort(const ir::AxisExtents& s, i64 count, int threads, bool descending) {
  using Item = kernels::sort_item<T>;
  const i64 n = s.extent, tiles = (n + sort_tile_size - 1) / sort_tile_size;
  const std::vector<T> x = values<T>(s.outer * n * s.inner, true);
  const Array expected = argsort_lines(plain(x), s, count, descending);
  std::vector<i64> out(expected.size(), -1);
  std::vector<Item> scratch(2 * x.size());
  AxisArgs args = contiguous(s);
  args.a = x.data(), args.out = out.data(), args.scratch = scratch.data();
  args.count = count, args.flag = descending;
  const i64 bytes = sort_tile_size * static_cast<i64>(sizeof(Item));
  emulate_grid(s.outer * s.inner * tiles, threads, bytes, 5, [&](EmulatedTeam& team, i64 block) {
    kernels::sort_tile<T>(team, args, block / tiles, block % tiles);
  });
  bool odd = false;
  for (i64 width = sort_tile_size; width < n; width *= 2, odd = !odd)
    emulate_grid(s.outer * s.inner * tiles, threads, bytes, 6, [&](EmulatedTeam& team, i64 block) {
      kernels::merge_tile<T>(team, args, block / tiles, block % tiles, width, odd, 2 * width >= n);
    });
  check_same(out, expected);
  out.assign(out.size(), -1);
  for (i64 line = 0; line < s.outer * s.inner; ++line)
    kernels::argsort_line<T>(args, line, scratch.data() + line * 2 * n);
  check_same(out, expected);
}

// Indices from below -rows to above rows.
std::vector<i32> indices(i64 count, i64 rows) {
  std::vector<i32> v(static_cast<std::size_t>(count));
  u32 state = 9;
  for (i32& i : v) {
    state = state * 1664525u + 1013904223u;
    i = static_cast<i32>((state >> 16) % static_cast<u32>(2 * rows + 3)) - static_cast<i32>(rows) - 1;
  }
  return v;
}
Array spread(const std::vector<i32>& index, const ir::AxisExtents& s, i64 count, const i64* stride) {
  Array r;
  for (i64 o = 0; o < s.outer; ++o)
    for (i64 j = 0; j < count; ++j)
      for (i64 k = 0; k < s.inner; ++k)
        r.push_back(index[static_cast<std::size_t>(o * stride[0] + j * stride[1] + k * stride[2])]);
  return r;
}

template <Fold F>
void check_scatter(const ir::AxisExtents& s, i64 count, int threads, bool shared) {
  const i64 stride[3]{shared ? 0 : count * s.inner, shared ? 1 : s.inner, shared ? 0 : 1};
  const std::vector<i32> index = indices(shared ? count : s.outer * count * s.inner, s.extent);
  const std::vector<f32> update = values<f32>(s.outer * count * s.inner);
  const Array expected = scatter_lines(spread(index, s, count, stride), plain(update), s, count,
                                       static_cast<ir::Fold>(F), DType::f32);
  std::vector<f32> out(expected.size(), 7);
  AxisArgs args = contiguous(s);
  args.a = update.data(), args.b = index.data(), args.out = out.data(), args.count = count;
  args.a_stride[0] = count * s.inner;
  std::memcpy(args.b_stride, stride, sizeof stride);
  const i64 columns = (s.inner + threads - 1) / threads, rows = 5, row_tiles = (s.extent + rows - 1) / rows;
  for (u64 seed = 1; seed < 4; ++seed) {
    out.assign(expected.size(), 7);
    emulate_grid(s.outer * row_tiles * columns, threads, 33 * threads + 64, seed,
                 [&](EmulatedTeam& team, i64 block) {
                   const i64 column = block % columns * threads, row = block / columns % row_tiles * rows;
                   kernels::scatter_tile<f32, i32, F>(team, args, block / columns / row_tiles, row,
                                                      std::min(row + rows, s.extent), column,
                                                      std::min(column + threads, s.inner));
                 });
    check_same(out, expected);
  }
  SerialTeam one;
  out.assign(expected.size(), 7);
  for (i64 o = 0; o < s.outer; ++o) kernels::scatter_tile<f32, i32, F>(one, args, o, 0, s.extent, 0, s.inner);
  check_same(out, expected);
}

}  // namespace

TEST_CASE("along_axis: scans by threads, by teams and on the host") {
  check_scan<f32, Fold::sum>({3, 700, 1}, 64, false);
  check_scan<f64, Fold::sum>({2, 131, 3}, 32, true);
  check_scan<i64, Fold::prod>({1, 300, 2}, 64, false);
  check_scan<f32, Fold::max>({2, 513, 9}, 128, false);
  check_scan<i32, Fold::min>({2, 100, 1}, 32, true);
  check_scan<f32, Fold::sum>({2, 1, 2}, 32, true);
}

TEST_CASE("along_axis: scans of lines in pieces") {
  check_cut_scan<f32, Fold::sum>({1, 5000, 1}, 512, false);
  check_cut_scan<i64, Fold::sum>({2, 1001, 3}, 100, true);
  check_cut_scan<f32, Fold::max>({1, 9001, 1}, 90, false);  // more pieces than threads
  check_cut_scan<i32, Fold::min>({2, 640, 2}, 320, true);
  // few long lines are cut, into 512 pieces at most
  CHECK(ir::scan_chunk({1, 4095, 1}) == 4095);
  CHECK(ir::scan_chunk({1, 4096, 1}) == 2048);
  CHECK(ir::scan_chunk({1, i64{1} << 30, 1}) == i64{1} << 21);
  CHECK(ir::scan_chunk({256, 100000, 1}) == 100000);
  CHECK(ir::scan_chunk({1, 100000, 256}) == 2048);  // lines of single threads
}

TEST_CASE("along_axis: sorting is stable, with NaN the greatest, whatever runs it") {
  check_argsort<f32>({2, 300, 3}, 300, 64, false);
  check_argsort<f32>({1, 300, 1}, 17, 64, true);
  check_argsort<f64>({1, 129, 2}, 129, 64, true);
  check_argsort<i32>({1, 2048, 1}, 2048, 256, false);
  check_argsort<i64>({1, 1, 5}, 1, 32, false);
}

TEST_CASE("along_axis: long lines are merged through memory") {
  check_argsort<f32>({1, 5000, 1}, 5000, 256, false);
  check_argsort<f64>({2, 4100, 1}, 3000, 128, true);
  check_argsort<i64>({1, 9001, 1}, 100, 256, false);
}

TEST_CASE("along_axis: scatter_reduce folds in the order of the indices") {
  check_scatter<Fold::sum>({2, 23, 5}, 150, 32, true);
  check_scatter<Fold::sum>({2, 23, 5}, 50, 32, false);
  check_scatter<Fold::max>({1, 11, 1}, 400, 64, true);
  check_scatter<Fold::min>({3, 7, 40}, 60, 32, true);
  check_scatter<Fold::prod>({1, 9, 1}, 30, 32, false);
}

TEST_CASE("along_axis: take_along_axis and searchsorted") {
  for (const i64 inner : {i64{6}, i64{1}}) {
    const ir::AxisExtents s{3, 17, inner};
    const i64 count = 41, stride[3]{count, 1, 0};
    const std::vector<f32> x = values<f32>(3 * 17 * inner);
    const std::vector<i32> index = indices(3 * count, 17);
    for (const bool zero : {false, true}) {
      const Array expected =
          take_lines(plain(x), spread(index, s, count, stride), s, count, zero, DType::f32);
      AxisArgs args = contiguous(s);
      std::vector<f32> out(expected.size(), 7);
      args.a = x.data(), args.b = index.data(), args.out = out.data(), args.count = count, args.flag = zero;
      std::memcpy(args.b_stride, stride, sizeof stride);
      const i64 size = static_cast<i64>(out.size());
      emulate_block(64, 0, 3,
                    [&](EmulatedTeam& team) { kernels::take_elements<f32, i32>(team, args, 0, size); });
      check_same(out, expected);
      out.assign(out.size(), 7);
      SerialTeam one;
      for (i64 begin = 0; begin < size; begin += 100)
        kernels::take_elements<f32, i32>(one, args, begin, std::min(begin + 100, size));
      check_same(out, expected);
    }
  }
  std::vector<f64> sorted = values<f64>(200), wanted = values<f64>(50, true);
  std::sort(sorted.begin(), sorted.end());
  for (const bool right : {false, true}) {
    const Array expected = search_lines(plain(sorted), plain(wanted), {1, 200, 1}, 50, right);
    AxisArgs args = contiguous({1, 200, 1});
    std::vector<i64> out(50);
    args.a = sorted.data(), args.b = wanted.data(), args.out = out.data(), args.count = 50, args.flag = right;
    args.b_stride[0] = 50, args.b_stride[1] = 1;
    emulate_block(32, 0, 3, [&](EmulatedTeam& team) { kernels::search_elements<f64>(team, args, 0, 50); });
    check_same(out, expected);
  }
}
