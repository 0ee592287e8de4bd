#pragma once
// Rows of a table by index: take_rows reads them, scatter_add adds to them. Law: scatter_add adds in the
// order of the indices, whichever team runs it, so its results are the same bits everywhere.

#include <limits>

#include "weft/kernels/axis/block_sort.hpp"
#include "weft/kernels/fused/body.hpp"

namespace WEFT_NAMESPACE::kernels {

// How a table that is added to is cut, where one index counts for a whole row: pieces of rows, each of which
// looks at all indices, as far as that is little beside the rows themselves; if these are few, of columns
// too.
struct TableCut {
  i64 rows = 0, columns = 0;              // of a piece
  i64 row_pieces = 0, column_pieces = 0;  // none of an empty table
};
constexpr TableCut table_cut(i64 rows, i64 width, i64 count) {
  TableCut cut;
  if (rows <= 0 || width <= 0) return cut;
  constexpr i64 piece = 65536;  // elements
  i64 pieces = (rows * width + piece - 1) / piece, most = width / 16 > 0 ? width / 16 : 1;
  if (pieces > most) pieces = most;
  if (pieces > rows) pieces = rows;
  cut.rows = (rows + pieces - 1) / pieces;
  cut.row_pieces = (rows + cut.rows - 1) / cut.rows;
  cut.columns = cut.row_pieces >= 8 || (rows + count) * width < piece || width < 64 ? width : 64;
  cut.column_pieces = (width + cut.columns - 1) / cut.columns;
  return cut;
}

struct IndexArgs {
  const void* data =
      nullptr;  // take_rows: the table (rows, width); scatter_add: what is added (count, width)
  const void* index = nullptr;  // (count)
  void* out = nullptr;          // take_rows: (count, width); scatter_add: the table
  i64 rows = 0, count = 0, width = 0;
};

// Words: the dtypes of the elements and of the indices. Numbers: rows of the table, indices, elements of a
// row.
inline IndexArgs index_args(const LaunchArgs& args, const u64* numbers) {
  return {args.pointer[0],
          args.pointer[1],
          args.pointer[2],
          static_cast<i64>(numbers[0]),
          static_cast<i64>(numbers[1]),
          static_cast<i64>(numbers[2])};
}

namespace detail {
template <class T>
inline constexpr T missing_row = T(0);
template <>
inline constexpr float missing_row<float> = std::numeric_limits<float>::quiet_NaN();
template <>
inline constexpr double missing_row<double> = std::numeric_limits<double>::quiet_NaN();
template <class Format, class Bits>
inline constexpr SmallFloat<Format, Bits> missing_row<SmallFloat<Format, Bits>> =
    SmallFloat<Format, Bits>(std::numeric_limits<float>::quiet_NaN());
}  // namespace detail

// Rows [begin, end) of a take_rows, moved in units of `Bytes`, to which rows and addresses are aligned. A row
// whose index is outside the table is NaN (0 for integers).
template <class T, class I, int Bytes, class Team>
WEFT_HD_INLINE void gather_rows(Team& team, const IndexArgs& args, i64 begin, i64 end) {
  constexpr int per = Bytes / int{sizeof(T)};
  using Unit = detail::Words<Bytes>;
  const i64 units = args.width / per;
  const I* index = static_cast<const I*>(args.index);
  const Unit* table = static_cast<const Unit*>(args.data);
  Unit* out = static_cast<Unit*>(args.out);
  detail::Stored<T, per> none;
  WEFT_UNROLL
  for (int j = 0; j < per; ++j) none.element[j] = detail::missing_row<T>;
  const Unit missing = __builtin_bit_cast(Unit, none);
  int together = 1;  // threads on one row
  while (together < team.size() && together < units) together *= 2;
  for (i64 i = begin + team.rank() / together; i < end; i += team.size() / together) {
    const i64 row = static_cast<i64>(index[i]);
    const bool found = row >= 0 && row < args.rows;
    const Unit* from = table + (found ? row : 0) * units;
    if constexpr (detail::is_serial<Team>) {
      if (found) {
        __builtin_memcpy(out + i * units, from, static_cast<std::size_t>(args.width) * sizeof(T));
        continue;
      }
    }
    for (i64 j = team.rank() % together; j < units; j += together)
      out[i * units + j] = found ? from[j] : missing;
  }
}

// Columns [column, column_end) of rows [row, row_end) of a table, by one thread: set to zero, then what is
// added. Indices outside the table are skipped.
template <class T, class I>
void scatter_add_tile(const IndexArgs& args, i64 row, i64 row_end, i64 column, i64 column_end) {
  const T* update = static_cast<const T*>(args.data);
  const I* index = static_cast<const I*>(args.index);
  T* out = static_cast<T*>(args.out);
  for (i64 r = row; r < row_end; ++r)
    for (i64 j = column; j < column_end; ++j) out[r * args.width + j] = T(0);
  for (i64 i = 0; i < args.count; ++i) {
    const i64 r = static_cast<i64>(index[i]);
    if (r < row || r >= row_end) continue;
    T* to = out + r * args.width + column;
    const T* from = update + i * args.width + column;
    for (i64 j = 0; j < column_end - column; ++j)
      to[j] = narrow<T>(static_cast<register_of<T>>(widen(to[j]) + widen(from[j])));
  }
}

// Of a block: indices that a thread looks at together, hits that are sorted together, and of these what a
// thread has under way.
inline constexpr int scatter_indices = 4, scatter_hits = 1024, scatter_loads = 16;
inline constexpr int scatter_hit_bits = 10;
// Rows of a block that fit beside a hit's number in 32 bits.
inline constexpr i64 most_scatter_rows = i64{1} << (31 - scatter_hit_bits);
WEFT_HD constexpr i64 scatter_shared_bytes(int threads) {
  return scatter_hits * 12 + threads / warp_size * 8 + 64;
}

// Rows first, first + 2^step_bits, ... of a table, fewer than most_scatter_rows, and columns from `column`
// on, one a thread: set to zero, then what is added. Rows that are hit often follow each other in the tables
// of texts; so they go to different blocks. A block lists what hits its rows, sorts the list by row, then by
// place, and adds up row after row in registers.
template <class T, class I, class Team>
WEFT_HD_INLINE void scatter_add_columns(Team& team, const IndexArgs& args, i64 first, int step_bits,
                                        i64 column) {
  const I* index = static_cast<const I*>(args.index);
  const i64 step = i64{1} << step_bits, mine = column + team.rank();
  const bool owns = mine < args.width;
  const T* const update = static_cast<const T*>(args.data) + mine;
  T* const out = static_cast<T*>(args.out) + first * args.width + mine;
  const i64 row_pitch = step * args.width;
  if (owns)
    for (i64 r = first, at = 0; r < args.rows; r += step, at += row_pitch) out[at] = T(0);
  auto keys = team.template shared<u32>(scatter_hits);  // row, then number of the hit
  auto places = team.template shared<i64>(scatter_hits);
  auto hits = team.template shared<int>(2 * team.warps());  // of each warp, in turns
  int listed = 0;
  bool again = false;  // whether rows may hold sums already
  const auto add_up = [&]() __attribute__((always_inline)) {
    int n = 2;
    while (n < listed) n *= 2;
    for (int k = listed + team.rank(); k < n; k += team.size()) keys[k] = ~u32{0};
    team.sync();
    sort_in_block<u32>(team, keys, n);
    if (owns) {
      i64 row = -1;
      T sum = T(0);
      for (int k = 0; k < listed; k += scatter_loads) {
        T from[scatter_loads];
        WEFT_UNROLL
        for (int u = 0; u < scatter_loads; ++u)
          from[u] = k + u < listed ? update[places[static_cast<int>(keys[k + u] % scatter_hits)] * args.width]
                                   : T(0);
        WEFT_UNROLL
        for (int u = 0; u < scatter_loads; ++u) {
          if (k + u >= listed) break;
          const i64 now = keys[k + u] >> scatter_hit_bits;
          if (now != row) {
            if (row >= 0) out[row * row_pitch] = sum;
            row = now;
            sum = again ? out[row * row_pitch] : T(0);
          }
          sum = narrow<T>(static_cast<register_of<T>>(widen(sum) + widen(from[u])));
        }
      }
      if (row >= 0) out[row * row_pitch] = sum;
    }
    listed = 0;
    again = true;
    team.sync();
  };
  const int window = scatter_indices * team.size();
  int turn = 0;
  for (i64 base = 0; base < args.count; base += window, turn ^= 1) {
    const i64 begin = base + scatter_indices * team.rank();
    i64 row[scatter_indices];
    int count = 0;
    WEFT_UNROLL
    for (int q = 0; q < scatter_indices; ++q) {
      const i64 r = begin + q < args.count ? static_cast<i64>(index[begin + q]) : -1;
      row[q] = r >= 0 && r < args.rows && (r & (step - 1)) == first ? r >> step_bits : -1;
      count += row[q] >= 0 ? 1 : 0;
    }
    int up_to = count;  // this thread's and those before it in its warp
    WEFT_UNROLL
    for (int d = 1; d < warp_size; d *= 2) {
      const int lower = team.shuffle_up(up_to, d);
      if (team.lane() >= d) up_to += lower;
    }
    const int slots = turn * team.warps();
    if (team.lane() == warp_size - 1) hits[slots + team.warp()] = up_to;
    team.sync();
    int before = 0, total = 0;
    for (int w = 0; w < team.warps(); ++w) {
      const int n = hits[slots + w];
      if (w < team.warp()) before += n;
      total += n;
    }
    if (listed + total > scatter_hits) add_up();
    int at = listed + before + up_to - count;
    WEFT_UNROLL
    for (int q = 0; q < scatter_indices; ++q) {
      if (row[q] < 0) continue;
      keys[at] = static_cast<u32>(row[q]) << scatter_hit_bits | static_cast<u32>(at);
      places[at] = begin + q;
      ++at;
    }
    listed += total;
  }
  if (listed > 0) add_up();
}

}  // namespace WEFT_NAMESPACE::kernels
