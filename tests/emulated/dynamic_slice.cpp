// The kernel of dynamic_slice and dynamic_update_slice as GPU blocks and on the host, against copying element
// by element: in every unit that a run may be moved in, with offsets inside and beyond.

#include "weft/kernels/axis/dynamic_slice.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/core/shape.hpp"
#include "weft/kernels/axis/host.hpp"
#include "weft/kernels/team/emulated.hpp"

using namespace weft;
using kernels::BlockCopyArgs;

namespace {

struct Case {
  Dims whole, block;
  int batch = 0;        // leading axes with offsets of their own
  int unit = 4;         // bytes of an element
  bool turned = false;  // the other tensor's axes lie the other way round
  bool odd = false;     // memory that begins at no multiple of 16 bytes
};

template <class I, bool Update>
void check(const Case& c, int wide) {
  i64 samples = 1;
  for (int a = 0; a < c.batch; ++a) samples *= c.whole.extent[a];
  const i64 sizes[]{c.whole.size() * c.unit, c.block.size() * c.unit};
  std::vector<std::byte> whole(static_cast<std::size_t>(sizes[0] + 32)),
      block(static_cast<std::size_t>(sizes[1] + 32));
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k] = static_cast<std::byte>(k * 7 % 251);
  for (std::size_t k = 0; k < block.size(); ++k) block[k] = static_cast<std::byte>(k * 11 % 241);
  const auto aligned = [&](std::vector<std::byte>& v) {
    const auto at = reinterpret_cast<std::uintptr_t>(v.data());
    return v.data() + (16 - at % 16) % 16 + (c.odd ? c.unit : 0);
  };
  std::byte *const large = aligned(whole), *const small = aligned(block);
  const Dims rows = row_major_strides(c.whole);
  Dims dense = row_major_strides(c.block);
  if (c.turned) {  // column by column
    i64 stride = 1;
    for (int a = 0; a < c.block.rank; ++a) dense.extent[a] = stride, stride *= c.block.extent[a];
  }
  BlockCopyArgs args;
  args.to = Update ? large : small, args.from = Update ? small : large;
  args.samples = samples, args.size = c.block.size() / samples, args.unit = c.unit, args.axes = c.block.rank;
  std::vector<std::vector<I>> offsets;
  for (int a = 0; a < c.block.rank; ++a) {
    args.extent[a] = c.block.extent[a];
    (Update ? args.to_stride : args.from_stride)[a] = rows.extent[a] * c.unit;
    (Update ? args.from_stride : args.to_stride)[a] = dense.extent[a] * c.unit;
    if (a < c.batch) continue;
    const i64 last = c.whole.extent[a] - c.block.extent[a];
    offsets.emplace_back();
    for (i64 s = 0; s < samples; ++s) offsets.back().push_back(static_cast<I>((s * 5 + a) % (last + 4) - 1));
  }
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const int a = c.batch + static_cast<int>(k);
    args.offset[args.offsets++] = {offsets[k].data(), c.whole.extent[a] - c.block.extent[a],
                                   rows.extent[a] * c.unit};
  }
  // element by element
  std::vector<std::byte>& changed = Update ? whole : block;
  const std::vector<std::byte> before = changed;
  for (i64 i = 0; i < c.block.size(); ++i) {
    i64 rest = i, in_whole = 0, in_block = 0;
    for (int a = c.block.rank - 1; a >= 0; --a) {
      const i64 at = rest % c.block.extent[a], last = c.whole.extent[a] - c.block.extent[a];
      i64 begin = 0;
      if (a >= c.batch)
        begin = static_cast<i64>(
            offsets[static_cast<std::size_t>(a - c.batch)][static_cast<std::size_t>(i / args.size)]);
      begin = begin < 0 ? 0 : begin > last ? last : begin;
      in_whole += (begin + at) * rows.extent[a], in_block += at * dense.extent[a];
      rest /= c.block.extent[a];
    }
    for (int b = 0; b < c.unit; ++b)
      (Update ? large[in_whole * c.unit + b] : small[in_block * c.unit + b]) =
          Update ? small[in_block * c.unit + b] : large[in_whole * c.unit + b];
  }
  const std::vector<std::byte> expected = changed;

  const BlockCopyArgs units = kernels::widened(args);
  CHECK(units.unit == wide);
  for (u64 seed = 1; seed < 3; ++seed) {
    changed = before;
    const i64 total = units.total(), each = 96;
    emulate_grid((total + each - 1) / each, 32, 0, seed, [&](EmulatedTeam& team, i64 piece) {
      const i64 end = (piece + 1) * each;
      kernels::copy_block<I, Update>(team, units, piece * each, end < total ? end : total);
    });
    CHECK(changed == expected);
  }
  changed = before;
  for (i64 s = 0; s < samples; ++s)
    for (i64 begin = 0; begin < args.size; begin += 50)
      kernels::copy_block_serially<I, Update>(
          args, s * args.size + begin, s * args.size + (begin + 50 < args.size ? begin + 50 : args.size));
  CHECK(changed == expected);
}
template <class I>
void check_both(const Case& c, int wide) {
  check<I, false>(c, wide);
  check<I, true>(c, wide);
}

}  // namespace

TEST_CASE("dynamic_slice: rows of a cache, in the widest unit") {
  check_both<i32>({{2, {70, 128}}, {2, {1, 128}}}, 16);
  check_both<i64>({{2, {70, 128}}, {2, {65, 128}}, 0, 2}, 16);
  check_both<i32>({{2, {9, 6}}, {2, {3, 6}}}, 8);
  check_both<i32>({{2, {9, 6}}, {2, {3, 6}}, 0, 1}, 2);
  check_both<i64>({{2, {9, 7}}, {2, {3, 7}}, 0, 8}, 8);
}

TEST_CASE("dynamic_slice: blocks inside of rows, whose place is no multiple of a wider unit") {
  check_both<i64>({{3, {5, 70, 72}}, {3, {2, 64, 64}}}, 4);
  check_both<i32>({{3, {5, 7, 9}}, {3, {4, 7, 3}}, 0, 1}, 1);
}

TEST_CASE("dynamic_slice: memory that begins anywhere, and axes in another order") {
  check_both<i32>({{2, {70, 128}}, {2, {3, 128}}, 0, 4, false, true}, 4);
  check_both<i32>({{3, {9, 70, 6}}, {3, {2, 66, 6}}, 0, 4, true}, 4);
  check_both<i32>({{3, {9, 70, 6}}, {3, {2, 66, 6}}, 0, 2, true}, 2);
}

TEST_CASE("dynamic_slice: offsets of their own for every sample") {
  check_both<i64>({{4, {3, 2, 66, 8}}, {4, {3, 2, 64, 8}}, 2}, 16);
  check_both<i32>({{3, {5, 9, 3}}, {3, {5, 2, 3}}, 1}, 4);
  check_both<i32>({{3, {5, 9, 3}}, {3, {5, 2, 2}}, 1, 8}, 8);
}

TEST_CASE("dynamic_slice: a run that goes across samples is moved in units of which each has whole ones") {
  BlockCopyArgs args;
  args.samples = 4, args.size = 3, args.unit = 4, args.axes = 1;
  args.extent[0] = 12, args.to_stride[0] = args.from_stride[0] = 4;
  CHECK(kernels::widened(args).unit == 4);
  args.size = 6, args.extent[0] = 24;
  CHECK(kernels::widened(args).unit == 8);
}
