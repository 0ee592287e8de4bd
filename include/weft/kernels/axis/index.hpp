#pragma once
// Elements along one axis by index: take_along_axis reads them, scatter_reduce folds them together,
// searchsorted finds where they belong. Law: scatter_reduce folds in the order of the indices, whichever team
// runs it.

#include "weft/kernels/axis/args.hpp"
#include "weft/kernels/axis/rows.hpp"
#include "weft/kernels/axis/scan.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {

// An index from the front, -1 outside.
template <class I>
WEFT_HD_INLINE i64 line_place(I index, i64 extent) {
  const i64 i = static_cast<i64>(index), at = i < 0 ? i + extent : i;
  return at < extent ? at : -1;
}

}  // namespace detail

// Elements [begin, end) of take_along_axis's result.
template <class T, class I, class Team>
WEFT_HD_INLINE void take_elements(Team& team, const AxisArgs& args, i64 begin, i64 end) {
  const T* from = static_cast<const T*>(args.a);
  const I* index = static_cast<const I*>(args.b);
  T* out = static_cast<T*>(args.out);
  const T missing = args.flag ? T(0) : detail::missing_row<T>;
  const auto element = [&](i64 o, i64 j, i64 k) {
    const i64 at = detail::line_place(
        index[o * args.b_stride[0] + j * args.b_stride[1] + k * args.b_stride[2]], args.extent);
    return at < 0 ? missing : from[o * args.a_stride[0] + at * args.a_stride[1] + k * args.a_stride[2]];
  };
  if constexpr (detail::is_serial<Team>) {
    i64 k = begin % args.inner, j = begin / args.inner % args.count, o = begin / args.inner / args.count;
    const bool rows = args.inner > 1 && args.b_stride[2] == 0 && args.a_stride[2] == 1;
    for (i64 i = begin; i < end && args.inner == 1; ++o, j = 0) {  // neighbours differ in their index
      const i64 run = args.count - j < end - i ? args.count - j : end - i;
      const T* line = from + o * args.a_stride[0];
      const I* wanted = index + o * args.b_stride[0] + j * args.b_stride[1];
      for (i64 r = 0; r < run; ++r) {
        const i64 at = detail::line_place(wanted[r * args.b_stride[1]], args.extent);
        out[i + r] = at < 0 ? missing : line[at * args.a_stride[1]];
      }
      i += run;
    }
    for (i64 i = begin; i < end && args.inner != 1;) {
      const i64 run = args.inner - k < end - i ? args.inner - k : end - i;
      if (rows) {  // one index for a run of neighbours
        const i64 at = detail::line_place(index[o * args.b_stride[0] + j * args.b_stride[1]], args.extent);
        if (at >= 0)
          __builtin_memcpy(out + i, from + o * args.a_stride[0] + at * args.a_stride[1] + k,
                           static_cast<std::size_t>(run) * sizeof(T));
        else
          for (i64 r = 0; r < run; ++r) out[i + r] = missing;
      } else {
        for (i64 r = 0; r < run; ++r) out[i + r] = element(o, j, k + r);
      }
      i += run;
      k = 0;
      if (++j == args.count) j = 0, ++o;
    }
  } else {
    for (i64 i = begin + team.rank(); i < end; i += team.size()) {
      if (args.outer * args.count * args.inner < i64{1} << 31) {  // 32-bit division is several times faster
        const u32 n = static_cast<u32>(i), inner = static_cast<u32>(args.inner),
                  count = static_cast<u32>(args.count);
        out[i] = element(n / inner / count, n / inner % count, n % inner);
      } else {
        out[i] = element(i / args.inner / args.count, i / args.inner % args.count, i % args.inner);
      }
    }
  }
}

// As scatter_tile, by one thread.
template <class T, class I, Fold F>
WEFT_HD_INLINE void scatter_serially(const AxisArgs& args, i64 o, i64 row, i64 row_end, i64 column,
                                     i64 column_end) {
  const T* update = static_cast<const T*>(args.a) + o * args.a_stride[0];
  const I* index = static_cast<const I*>(args.b) + o * args.b_stride[0];
  T* out = static_cast<T*>(args.out) + o * args.extent * args.inner;
  const i64 columns = column_end - column, apart = args.a_stride[2];
  if (columns == args.inner)
    for (i64 i = row * args.inner; i < row_end * args.inner; ++i) out[i] = fold_neutral<F, T>();
  else
    for (i64 r = row; r < row_end; ++r)
      for (i64 k = column; k < column_end; ++k) out[r * args.inner + k] = fold_neutral<F, T>();
  const i64 index_step = args.b_stride[1], step = args.a_stride[1], extent = args.extent;
  if (args.inner == 1) {
    for (i64 j = 0; j < args.count; ++j) {
      const i64 at = detail::line_place(index[j * index_step], extent);
      if (at >= row && at < row_end) out[at] = fold<F>(out[at], update[j * step]);
    }
  } else if (args.b_stride[2] == 0) {  // one index for all columns
    for (i64 j = 0; j < args.count; ++j) {
      const i64 at = detail::line_place(index[j * index_step], extent);
      if (at < row || at >= row_end) continue;
      T* to = out + at * args.inner + column;
      const T* from = update + j * step + column * apart;
      if (apart == 1)
        for (i64 k = 0; k < columns; ++k) to[k] = fold<F>(to[k], from[k]);
      else
        for (i64 k = 0; k < columns; ++k) to[k] = fold<F>(to[k], from[k * apart]);
    }
  } else {
    for (i64 j = 0; j < args.count; ++j)
      for (i64 k = column; k < column_end; ++k) {
        const i64 at = detail::line_place(index[j * index_step + k * args.b_stride[2]], extent);
        if (at < row || at >= row_end) continue;
        T& to = out[at * args.inner + k];
        to = fold<F>(to, update[j * step + k * apart]);
      }
  }
}

// As scatter_tile, by a block.
template <class T, class I, Fold F, class Team>
WEFT_HD_INLINE void scatter_together(Team& team, const AxisArgs& args, i64 o, i64 row, i64 row_end,
                                     i64 column, i64 column_end) {
  const T* update = static_cast<const T*>(args.a) + o * args.a_stride[0];
  const I* index = static_cast<const I*>(args.b) + o * args.b_stride[0];
  T* out = static_cast<T*>(args.out) + o * args.extent * args.inner;
  const auto add = [&](i64 at, i64 j, i64 k) {
    T& to = out[at * args.inner + k];
    to = fold<F>(to, update[j * args.a_stride[1] + k * args.a_stride[2]]);
  };
  const i64 columns = column_end - column;
  for (i64 i = team.rank(); i < (row_end - row) * columns; i += team.size())
    out[(row + i / columns) * args.inner + column + i % columns] = fold_neutral<F, T>();
  team.sync();
  if (args.inner > 1 && args.b_stride[2] != 0) {
    // each column has indices of its own: a thread owns columns
    for (i64 k = column + team.rank(); k < column_end; k += team.size())
      for (i64 j = 0; j < args.count; ++j) {
        const i64 at = detail::line_place(index[j * args.b_stride[1] + k * args.b_stride[2]], args.extent);
        if (at >= row && at < row_end) add(at, j, k);
      }
  } else {
    // Each thread looks at four neighbouring indices; those that hit the tile are listed in order.
    constexpr int each = 4;
    auto list = team.template shared<i64>(each * team.size());
    auto hits = team.template shared<int>(team.warps());
    const bool single = args.inner == 1;  // then a thread owns rows
    for (i64 base = 0; base < args.count; base += i64{each} * team.size()) {
      bool hit[each];
      int found = 0;
      WEFT_UNROLL
      for (int e = 0; e < each; ++e) {
        const i64 j = base + i64{each} * team.rank() + e;
        const i64 at = j < args.count ? detail::line_place(index[j * args.b_stride[1]], args.extent) : -1;
        hit[e] = at >= row && at < row_end;
        found += hit[e] ? 1 : 0;
      }
      int sum = found;
      WEFT_UNROLL
      for (int d = 1; d < warp_size; d *= 2) {
        const int lower = team.shuffle_up(sum, d);
        if (team.lane() >= d) sum += lower;
      }
      if (team.lane() == warp_size - 1) hits[team.warp()] = sum;
      team.sync();
      int at = sum - found, total = 0;
      for (int w = 0; w < team.warps(); ++w) {
        const int n = hits[w];
        if (w < team.warp()) at += n;
        total += n;
      }
      WEFT_UNROLL
      for (int e = 0; e < each; ++e)
        if (hit[e]) list[at++] = base + i64{each} * team.rank() + e;
      team.sync();
      for (int h = 0; h < total; ++h) {
        const i64 j = list[h];
        const i64 r = detail::line_place(index[j * args.b_stride[1]], args.extent);
        if (single) {
          if ((r - row) % team.size() == team.rank()) add(r, j, 0);
        } else {
          for (i64 k = column + team.rank(); k < column_end; k += team.size()) add(r, j, k);
        }
      }
      team.sync();
    }
  }
}

// Rows [row, row_end) and columns [column, column_end) of part o of scatter_reduce's result.
template <class T, class I, Fold F, class Team>
WEFT_HD_INLINE void scatter_tile(Team& team, const AxisArgs& args, i64 o, i64 row, i64 row_end, i64 column,
                                 i64 column_end) {
  if constexpr (detail::is_serial<Team>)
    scatter_serially<T, I, F>(args, o, row, row_end, column, column_end);
  else
    scatter_together<T, I, F>(team, args, o, row, row_end, column, column_end);
}

// Elements [begin, end) of searchsorted's result: by halves, NaN counting as greater than all.
template <class T, class Team>
WEFT_HD_INLINE void search_elements(Team& team, const AxisArgs& args, i64 begin, i64 end) {
  for (i64 i = begin + team.rank(); i < end; i += team.size()) {
    const i64 o = i / args.count, j = i % args.count;
    const T* line = static_cast<const T*>(args.a) + o * args.a_stride[0];
    const T x = static_cast<const T*>(args.b)[o * args.b_stride[0] + j * args.b_stride[1]];
    i64 low = 0, high = args.extent;
    while (low < high) {
      const i64 middle = (low + high) / 2;
      const T y = line[middle * args.a_stride[1]];
      const bool before = args.flag ? !(y > x) : !(y >= x);
      if (before)
        low = middle + 1;
      else
        high = middle;
    }
    static_cast<i64*>(args.out)[i] = low;
  }
}

}  // namespace WEFT_NAMESPACE::kernels
