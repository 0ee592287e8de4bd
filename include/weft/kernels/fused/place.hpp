#pragma once
// Where a fused kernel stands: in which row, in which line of it (the column axes but the last), at which
// columns of the line; and so at which element of every operand. Law: offsets are sums of index times stride
// over axes that the code names, so after constant folding only those that move are left.

#include <utility>

#include "weft/kernels/evaluator/code.hpp"

namespace WEFT_NAMESPACE::kernels {

// 0, 1, ..., N - 1. Members take them as parameters: closures would cost the compiler more than the work.
template <int N>
using upto = std::make_integer_sequence<int, N>;

template <class C>
struct FusedPlace {
  using View = FusedView<C>;
  static constexpr FusedHeader header = View::header;
  static constexpr int last_axis = header.axes() - 1;
  static constexpr int operands = header.operands > 0 ? header.operands : 1;

  i64 row_offset[operands];   // of each operand's row, in elements
  i64 line_offset[operands];  // of the line in the row
  i64 row_index[header.row_axes + 1];
  i64 col_index[header.col_axes + 1];
  i64 line_start = 0;  // the line's first column in row-major order
  i64 at = 0;          // first of the columns at hand, along the last axis
  i64 linear = 0;      // the same in row-major order over all column axes

  WEFT_HD_INLINE void start() {
    for (int k = 0; k < operands; ++k) line_offset[k] = 0;
    for (int a = 0; a < header.col_axes; ++a) col_index[a] = 0;
  }

  // Returns the number of columns, for a row of a length that the code does not hold.
  template <class Args>
  WEFT_HD_INLINE i64 go_to_row(const Args& args, i64 row) {
    if constexpr (header.segmented) {
      int low = 0, high = args.segment_count - 1;
      while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (args.segments[middle].first_tile <= row)
          low = middle;
        else
          high = middle - 1;
      }
      const Segment& s = args.segments[low];
      const i64 begin = (row - s.first_tile) * tile_length;
      enter_range(s.offset + begin, upto<header.operands>{});
      return s.length - begin < tile_length ? s.length - begin : tile_length;
    } else {
      i64 rest = row;
      split_row(rest, upto<header.row_axes - 1>{});
      row_index[0] = rest;
      enter_row(upto<header.operands>{});
      return row + 1 == args.rows ? args.last_cols : tile_length;
    }
  }
  // To the row `count` rows on, along the last axis of rows.
  WEFT_HD_INLINE void skip_rows(i64 count) {
    row_index[header.row_axes - 1] += count;
    skip_rows(count, upto<header.operands>{});
  }
  // To an element of a flat walk.
  WEFT_HD_INLINE void go_to_element(i64 element) { enter_range(element, upto<header.operands>{}); }
  WEFT_HD_INLINE void go_to_line(i64 line, i64 columns) {
    i64 rest = line;
    split_line(rest, upto<header.col_axes - 1>{});
    enter_line(upto<header.operands>{});
    line_start = line * columns;
  }

  // Where operand K's element for the columns at hand is.
  template <int K, Stage stage>
  WEFT_HD_INLINE i64 position() const {
    if constexpr (stage == Stage::element)
      return row_offset[K] + line_offset[K] + at * View::stride(K, last_axis);
    else
      return stage == Stage::row ? row_offset[K] : 0;
  }

  // Where operand K's window of the line begins, and whether the line is inside it.
  template <int K>
  WEFT_HD_INLINE i64 window_start(bool& inside) const {
    return along_windows<K>(inside, upto<last_axis>{});
  }

 private:
  template <int K, int... A>
  WEFT_HD_INLINE i64 along_windows(bool& inside, std::integer_sequence<int, A...>) const {
    return (i64{0} + ... + along_window<K, A>(inside));
  }
  template <int K, int A>
  WEFT_HD_INLINE i64 along_window(bool& inside) const {
    i64 i;
    if constexpr (A < header.row_axes)
      i = row_index[A];
    else
      i = col_index[A - header.row_axes];
    inside = inside && i >= View::low(K, A) && i < View::high(K, A);
    return (i - View::low(K, A)) * View::stride(K, A);
  }

  // The index along axis A out of a number in row-major order; what is left numbers the axes before.
  template <int A>
  WEFT_HD_INLINE static void split(i64& index, i64& rest) {
    constexpr i64 extent =
        View::extent(A) > 0 ? View::extent(A) : 1;  // where there is none, nothing is walked
    index = rest % extent;
    rest /= extent;
  }
  template <int... N>
  WEFT_HD_INLINE void split_row(i64& rest, std::integer_sequence<int, N...>) {
    (split<header.row_axes - 1 - N>(row_index[header.row_axes - 1 - N], rest), ...);
  }
  template <int... N>
  WEFT_HD_INLINE void split_line(i64& rest, std::integer_sequence<int, N...>) {
    (split<last_axis - 1 - N>(col_index[header.col_axes - 2 - N], rest), ...);
  }

  template <int... K>
  WEFT_HD_INLINE void skip_rows([[maybe_unused]] i64 count, std::integer_sequence<int, K...>) {
    ((row_offset[K] += count * View::stride(K, header.row_axes - 1)), ...);
  }
  template <int... K>
  WEFT_HD_INLINE void enter_range(i64 element, std::integer_sequence<int, K...>) {
    ((row_offset[K] = element * View::stride(K, 1)), ...);
  }
  template <int... K>
  WEFT_HD_INLINE void enter_row(std::integer_sequence<int, K...>) {
    ((row_offset[K] = along_row<K>(upto<header.row_axes>{})), ...);
  }
  template <int K, int... A>
  WEFT_HD_INLINE i64 along_row(std::integer_sequence<int, A...>) const {
    return (i64{0} + ... + (row_index[A] * View::stride(K, A)));
  }
  template <int... K>
  WEFT_HD_INLINE void enter_line(std::integer_sequence<int, K...>) {
    ((line_offset[K] = along_line<K>(upto<header.col_axes - 1>{})), ...);
  }
  template <int K, int... A>
  WEFT_HD_INLINE i64 along_line(std::integer_sequence<int, A...>) const {
    return (i64{0} + ... + (col_index[A] * View::stride(K, header.row_axes + A)));
  }
};

}  // namespace WEFT_NAMESPACE::kernels
