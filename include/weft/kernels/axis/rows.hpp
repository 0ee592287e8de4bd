#pragma once
// Rows of a table by index: take_rows reads them, scatter_add adds to them. Law: scatter_add adds in the
// order of the indices, whichever team runs it, so its results are the same bits everywhere.

#include <limits>

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

// Columns [column, column_end) of rows [row, row_end) of a table: set to zero, then what is added. A thread
// owns columns. Indices outside the table are skipped.
template <class T, class I, class Team>
WEFT_HD_INLINE void scatter_add_tile(Team& team, const IndexArgs& args, i64 row, i64 row_end, i64 column,
                                     i64 column_end) {
  const T* update = static_cast<const T*>(args.data);
  const I* index = static_cast<const I*>(args.index);
  T* out = static_cast<T*>(args.out);
  const auto add_row = [&](i64 i) __attribute__((always_inline)) {
    T* to = out + static_cast<i64>(index[i]) * args.width;
    const T* from = update + i * args.width;
    for (i64 j = column + team.rank(); j < column_end; j += team.size())
      to[j] = narrow<T>(static_cast<register_of<T>>(widen(to[j]) + widen(from[j])));
  };
  for (i64 r = row; r < row_end; ++r)
    for (i64 j = column + team.rank(); j < column_end; j += team.size()) out[r * args.width + j] = T(0);
  if constexpr (detail::is_serial<Team>) {
    for (i64 i = 0; i < args.count; ++i) {
      const i64 r = static_cast<i64>(index[i]);
      if (r < row || r >= row_end) continue;
      T* to = out + r * args.width + column;
      const T* from = update + i * args.width + column;
      for (i64 j = 0; j < column_end - column; ++j)
        to[j] = narrow<T>(static_cast<register_of<T>>(widen(to[j]) + widen(from[j])));
    }
  } else {
    // Each thread looks at one index; the positions that hit the tile are listed in order.
    auto list = team.template shared<i64>(team.size());
    auto hits = team.template shared<int>(team.warps());
    for (i64 base = 0; base < args.count; base += team.size()) {
      const i64 i = base + team.rank();
      const i64 r = i < args.count ? static_cast<i64>(index[i]) : -1;
      const bool hit = r >= row && r < row_end;
      int rank_of_hit = hit ? 1 : 0;
      WEFT_UNROLL
      for (int d = 1; d < warp_size; d *= 2) {
        const int lower = team.shuffle_up(rank_of_hit, d);
        if (team.lane() >= d) rank_of_hit += lower;
      }
      if (team.lane() == warp_size - 1) hits[team.warp()] = rank_of_hit;
      team.sync();
      int before = 0, total = 0;
      for (int w = 0; w < team.warps(); ++w) {
        const int n = hits[w];
        if (w < team.warp()) before += n;
        total += n;
      }
      if (hit) list[before + rank_of_hit - 1] = i;
      team.sync();
      for (int k = 0; k < total; ++k) {
        const i64 position = list[k];
        add_row(position);
      }
    }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
