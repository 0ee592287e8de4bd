#pragma once
// The places of a line's elements in sorted order. Law: elements become unsigned keys in whose order NaN is
// the greatest and both zeros are equal; a key goes with its place, so that no two items are equal and every
// correct sort gives the same, stable result.

#include "weft/kernels/axis/args.hpp"
#include "weft/kernels/axis/block_sort.hpp"
#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {

WEFT_HD_INLINE constexpr u32 sort_key(float x) {
  const u32 bits = __builtin_bit_cast(u32, x != x   ? __builtin_bit_cast(float, 0x7fc00000u)
                                           : x == 0 ? 0.0f
                                                    : x);
  return bits ^ (bits >> 31 != 0 ? 0xffffffffu : 0x80000000u);
}
WEFT_HD_INLINE constexpr u64 sort_key(double x) {
  const u64 bits = __builtin_bit_cast(u64, x != x   ? __builtin_bit_cast(double, 0x7ff8000000000000u)
                                           : x == 0 ? 0.0
                                                    : x);
  return bits ^ (bits >> 63 != 0 ? ~u64{0} : u64{1} << 63);
}
WEFT_HD_INLINE constexpr u32 sort_key(i32 x) { return static_cast<u32>(x) ^ 0x80000000u; }
WEFT_HD_INLINE constexpr u64 sort_key(i64 x) { return static_cast<u64>(x) ^ (u64{1} << 63); }

}  // namespace detail

// A key of 32 bits and its place in one word.
struct SortItem32 {
  u64 word = ~u64{0};
  WEFT_HD_INLINE constexpr bool operator<(const SortItem32& o) const { return word < o.word; }
  WEFT_HD_INLINE constexpr i64 place() const { return static_cast<i64>(word & 0xffffffffu); }
  static constexpr int key_bytes = 4;
  constexpr int digit(int k) const { return static_cast<int>(word >> (32 + 8 * k) & 255); }
  template <int Bits>
  constexpr u32 first_bits() const {
    return static_cast<u32>(word >> (64 - Bits));
  }
};
struct SortItem64 {
  u64 key = ~u64{0}, at = ~u64{0};
  WEFT_HD_INLINE constexpr bool operator<(const SortItem64& o) const {
    return key != o.key ? key < o.key : at < o.at;
  }
  WEFT_HD_INLINE constexpr i64 place() const { return static_cast<i64>(at); }
  static constexpr int key_bytes = 8;
  constexpr int digit(int k) const { return static_cast<int>(key >> (8 * k) & 255); }
  template <int Bits>
  constexpr u32 first_bits() const {
    return static_cast<u32>(key >> (64 - Bits));
  }
};

template <class T>
using sort_item = std::conditional_t<sizeof(T) == 8, SortItem64, SortItem32>;

template <class T>
WEFT_HD_INLINE sort_item<T> make_sort_item(T x, i64 place, bool descending) {
  const auto key = descending ? ~detail::sort_key(x) : detail::sort_key(x);
  if constexpr (sizeof(T) == 8)
    return {key, static_cast<u64>(place)};
  else
    return {u64{key} << 32 | static_cast<u64>(place)};
}

namespace detail {

// Runs of 16 by insertion, then merged in pairs; the result ends in `items`.
template <class Item>
inline void merge_sort(Item* items, Item* spare, i64 n) {
  constexpr i64 run = 16;
  for (i64 begin = 0; begin < n; begin += run)
    for (i64 i = begin + 1; i < (begin + run < n ? begin + run : n); ++i) {
      const Item x = items[i];
      i64 j = i;
      for (; j > begin && x < items[j - 1]; --j) items[j] = items[j - 1];
      items[j] = x;
    }
  Item* from = items;
  Item* to = spare;
  for (i64 width = run; width < n; width *= 2) {
    for (i64 begin = 0; begin < n; begin += 2 * width) {
      const i64 middle = begin + width < n ? begin + width : n,
                end = begin + 2 * width < n ? begin + 2 * width : n;
      i64 i = begin, j = middle;
      for (i64 k = begin; k < end; ++k)
        to[k] = i < middle && (j == end || from[i] < from[j]) ? from[i++] : from[j++];
    }
    Item* other = from;
    from = to;
    to = other;
  }
  if (from != items)
    for (i64 i = 0; i < n; ++i) items[i] = from[i];
}

// By the bytes of the keys, lowest first; items come in the order of their places. Bytes that all keys share
// cost nothing.
template <class Item>
inline void radix_sort(Item* items, Item* spare, i64 n) {
  constexpr int bytes = Item::key_bytes;
  u32 counts[bytes][256]{};
  for (i64 i = 0; i < n; ++i)
    for (int k = 0; k < bytes; ++k) ++counts[k][items[i].digit(k)];
  Item* from = items;
  Item* to = spare;
  for (int k = 0; k < bytes; ++k) {
    if (counts[k][from[0].digit(k)] == n) continue;
    u32 begin = 0;
    for (u32& count : counts[k]) {
      const u32 size = count;
      count = begin;
      begin += size;
    }
    for (i64 i = 0; i < n; ++i) to[counts[k][from[i].digit(k)]++] = from[i];
    Item* other = from;
    from = to;
    to = other;
  }
  if (from != items)
    for (i64 i = 0; i < n; ++i) items[i] = from[i];
}

// In any correct order by items; items come in the order of their places.
template <class Item>
inline void sort_items(Item* items, Item* spare, i64 n) {
  if (n < (Item::key_bytes == 4 ? 128 : 512) || n > 0xffffffff)
    merge_sort(items, spare, n);
  else
    radix_sort(items, spare, n);
}

// As select_least, of many items: those in front of the `count`th one or beside it, by the first bits of
// their keys, are all that is sorted. items: in the order of their places.
template <class Item>
inline void select_by_digits(Item* items, Item* spare, i64 n, i64 count) {
  constexpr int bits = 12;
  u32 counts[1 << bits]{};
  for (i64 i = 0; i < n; ++i) ++counts[items[i].template first_bits<bits>()];
  i64 found = 0;
  u32 last = 0;
  while (found + counts[last] < count) found += counts[last++];
  i64 kept = 0;
  for (i64 i = 0; i < n; ++i) {
    const Item x = items[i];
    items[kept] = x;
    kept += x.template first_bits<bits>() <= last ? 1 : 0;
  }
  sort_items(items, spare, kept);
}

// The `count` least items, in order, in items[0, count): a heap of the least so far, the greatest on top.
template <class Item>
inline void select_least(Item* items, i64 n, i64 count) {
  const auto sink = [&](i64 size, i64 i, Item x) {
    for (i64 child = 2 * i + 1; child < size; child = 2 * i + 1) {
      if (child + 1 < size && items[child] < items[child + 1]) ++child;
      if (!(x < items[child])) break;
      items[i] = items[child];
      i = child;
    }
    items[i] = x;
  };
  for (i64 i = count / 2 - 1; i >= 0; --i) sink(count, i, items[i]);
  for (i64 i = count; i < n; ++i)
    if (items[i] < items[0]) sink(count, 0, items[i]);
  for (i64 size = count - 1; size > 0; --size) {
    const Item last = items[size];
    items[size] = items[0];
    sink(size, 0, last);
  }
}

}  // namespace detail

// One line on the host, with memory for 2 * extent items.
template <class T>
inline void argsort_line(const AxisArgs& args, i64 line, sort_item<T>* items) {
  const i64 o = line / args.inner, k = line % args.inner, n = args.extent;
  const T* from = static_cast<const T*>(args.a) + o * args.a_stride[0] + k * args.a_stride[2];
  for (i64 i = 0; i < n; ++i) items[i] = make_sort_item(from[i * args.a_stride[1]], i, args.flag);
  if (8 * args.count <= n && (args.count <= 64 || n < 1024))
    detail::select_least(items, n, args.count);
  else if (args.count <= n / 2 && n >= 1024 && n <= 0xffffffff)
    detail::select_by_digits(items, items + n, n, args.count);
  else
    detail::sort_items(items, items + n, n);
  i64* to = static_cast<i64*>(args.out) + o * args.count * args.inner + k;
  for (i64 i = 0; i < args.count; ++i) to[i * args.inner] = items[i].place();
}

// Tile `tile` of a line, sorted by a team in shared memory (16 KiB or 32 KiB): written as places when it is
// the whole line, as items to scratch otherwise.
template <class T, class Team>
WEFT_HD_INLINE void sort_tile(Team& team, const AxisArgs& args, i64 line, i64 tile) {
  using Item = sort_item<T>;
  const i64 o = line / args.inner, k = line % args.inner, n = args.extent;
  const T* from = static_cast<const T*>(args.a) + o * args.a_stride[0] + k * args.a_stride[2];
  const i64 begin = tile * sort_tile_size, left = n - begin < sort_tile_size ? n - begin : sort_tile_size;
  int size = 2;  // a power of two that holds what is left
  while (size < left) size *= 2;
  auto items = team.template shared<Item>(sort_tile_size);
  for (int i = team.rank(); i < size; i += team.size())
    items[i] = i < left ? make_sort_item(from[(begin + i) * args.a_stride[1]], begin + i, args.flag) : Item{};
  team.sync();
  sort_in_block<Item>(team, items, size);
  if (n <= sort_tile_size) {
    i64* to = static_cast<i64*>(args.out) + o * args.count * args.inner + k;
    for (i64 i = team.rank(); i < args.count; i += team.size()) {
      const Item x = items[i];
      to[i * args.inner] = x.place();
    }
  } else {
    Item* to = static_cast<Item*>(args.scratch) + line * n + begin;
    for (i64 i = team.rank(); i < left; i += team.size()) {
      const Item x = items[i];
      to[i] = x;
    }
  }
}

namespace detail {
// How many of the first `diagonal` items of two sorted runs come from the first one.
template <class A, class B>
WEFT_HD_INLINE i64 merge_split(const A& a, i64 a_size, const B& b, i64 b_size, i64 diagonal) {
  i64 low = diagonal > b_size ? diagonal - b_size : 0, high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    const auto x = a(middle), y = b(diagonal - 1 - middle);
    if (x < y)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
}  // namespace detail

// Tile `tile` of the line that merging runs of `width` items in pairs gives; `last` writes places. Shared
// memory: 16 KiB or 32 KiB.
template <class T, class Team>
WEFT_HD_INLINE void merge_tile(Team& team, const AxisArgs& args, i64 line, i64 tile, i64 width, bool odd,
                               bool last) {
  using Item = sort_item<T>;
  const i64 n = args.extent, total = args.outer * args.inner * n;
  Item* const scratch = static_cast<Item*>(args.scratch);
  const Item* from = scratch + (odd ? total : 0) + line * n;
  const i64 begin = tile * sort_tile_size, end = begin + sort_tile_size < n ? begin + sort_tile_size : n;
  const i64 pair = begin / (2 * width) * (2 * width);
  const i64 middle = pair + width < n ? pair + width : n, stop = pair + 2 * width < n ? pair + 2 * width : n;
  const i64 a_size = middle - pair, b_size = stop - middle;
  const auto a = [&](i64 i) { return from[pair + i]; };
  const auto b = [&](i64 i) { return from[middle + i]; };
  const i64 a_begin = detail::merge_split(a, a_size, b, b_size, begin - pair);
  const i64 a_end = detail::merge_split(a, a_size, b, b_size, end - pair);
  const i64 b_begin = begin - pair - a_begin, b_end = end - pair - a_end;
  const i64 as = a_end - a_begin, bs = b_end - b_begin;
  auto items = team.template shared<Item>(sort_tile_size);
  for (i64 i = team.rank(); i < as + bs; i += team.size())
    items[i] = i < as ? a(a_begin + i) : b(b_begin + i - as);
  team.sync();
  const auto near_a = [&](i64 i) -> Item { return items[i]; };
  const auto near_b = [&](i64 i) -> Item { return items[as + i]; };
  const i64 each = (sort_tile_size + team.size() - 1) / team.size();
  const i64 first = each * team.rank() < as + bs ? each * team.rank() : as + bs;
  i64 i = detail::merge_split(near_a, as, near_b, bs, first), j = first - i;
  const i64 o = line / args.inner, k = line % args.inner;
  for (i64 at = first; at < first + each && at < as + bs; ++at) {
    const bool left = i < as && (j == bs || near_a(i) < near_b(j));
    const Item x = left ? near_a(i++) : near_b(j++);
    const i64 place = begin + at;
    if (!last)
      scratch[(odd ? 0 : total) + line * n + place] = x;
    else if (place < args.count)
      static_cast<i64*>(args.out)[(o * args.count + place) * args.inner + k] = x.place();
  }
}

}  // namespace WEFT_NAMESPACE::kernels
