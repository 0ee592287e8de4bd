#pragma once
// The one body of every fused kernel: pointwise arithmetic over rows and columns, reductions along the
// columns (several passes over a row), and sums along the rows. A team works on one chunk of rows; its
// threads share a row's columns. Law: what is computed depends on the cut into chunks and on the width of a
// value, never on which thread computes it.

#include "weft/kernels/fused/instructions.hpp"

namespace WEFT_NAMESPACE::kernels {

// As FusedTraits.
template <class C, class Family, class Team, class Args = LaunchArgs, int Threads = 0>
struct FusedBody : FusedInstructions<C, Family, Team, Args, Threads> {
  using Traits = FusedTraits<C, Family, Team, Threads>;
  using Instructions = FusedInstructions<C, Family, Team, Args, Threads>;
  using View = typename Traits::View;
  using Instructions::active;
  using Instructions::args;
  using Instructions::chunk;
  using Instructions::element;
  using Instructions::first_row;
  using Instructions::past_caches;
  using Instructions::place;
  using Instructions::row_in_chunk;
  using Instructions::row_start;
  using Instructions::shift;
  using Instructions::sums;
  using Instructions::team;
  using Traits::count;
  using Traits::dtype;
  using Traits::ends_whole;
  using Traits::header;
  using Traits::how_many;
  using Traits::last_axis;
  using Traits::last_extent;
  using Traits::past_operand;
  using Traits::single;
  using Traits::some;
  using Traits::static_cols;
  using Traits::vector;
  using Traits::width;

  i64 first_column = 0, end_column = 0;  // of the row, where chunks begin and end within rows

  // ahead: window_count windows, on the host.
  WEFT_HD_INLINE FusedBody(Team& t, const Args& a, typename Instructions::Window* ahead = nullptr)
      : Instructions(t, a, ahead) {}

  // Section S for the `Lanes` columns at hand.
  template <int S, int Lanes>
  WEFT_HD_INLINE void value_at_hand(i64 left) {
    if constexpr (Lanes == some) active = left >= width ? width : static_cast<int>(left);
    place.linear = place.line_start + place.at;
    this->template section<S, Lanes>();
  }
  // Columns [first, cols) of the line.
  template <int S>
  WEFT_HD_INLINE void columns(i64 cols, i64 first = 0) {
    const i64 step = static_cast<i64>(team.size()) * width;
    place.at = first + static_cast<i64>(team.rank()) * width;
    if constexpr (Traits::rows_turn) sums.template turn_lines<S>(place.line_start + first, row_start);
    if constexpr (Traits::shifted) {
      shifted_columns<S>(cols, step);
    } else if constexpr (Traits::whole_turns() > 0 && Traits::loads_ahead(S)) {
      WEFT_UNROLL_FOUR
      for (int turn = 0; turn < Traits::whole_turns(); ++turn, place.at += step)
        value_at_hand<S, width>(width);
    } else if constexpr (single || vector) {
      for (; cols > place.at; place.at += step) {
        value_at_hand<S, Traits::lanes_of_vector>(cols - place.at);
        if constexpr (single) break;
      }
    } else {
      constexpr bool goes_past = S == Traits::last_elements && past_operand() >= 0;
      if constexpr (goes_past) {
        const auto* start = this->template pointer<past_operand()>() + place.row_offset[past_operand()];
        const i64 apart = static_cast<i64>(reinterpret_cast<std::uintptr_t>(start) / 4 % width);
        if (args.rows * cols * 4 >= Traits::past_bytes) {
          if (apart > 0) {  // up to the first address of a whole line
            value_at_hand<S, some>(width - apart);
            place.at = active;
          }
          past_caches = true;
        }
      }
      if constexpr (last_extent() == 0 || last_extent() >= width || Traits::by_elements)
        for (; place.at + width <= cols; place.at += step) value_at_hand<S, width>(width);
      past_caches = false;
      if constexpr (!ends_whole() || goes_past)
        if (cols > place.at) value_at_hand<S, goes_past ? some : Traits::ending>(cols - place.at);
    }
  }
  WEFT_HD_INLINE void begin_at(i64 column) {
    place.at = column;
    this->first_active = column < 0 ? static_cast<int>(-column) : 0;
  }
  // Of a row whose values begin before it: whole values, then what is left of the first and the last.
  template <int S>
  WEFT_HD_INLINE void shifted_columns(i64 cols, i64 step) {
    constexpr int operand = shifting_operand<View>();
    shift = place.row_offset[operand] % width;
    const i64 own = static_cast<i64>(team.rank()) * width - shift;
    if constexpr (single) {
      begin_at(own);
      if (cols > own) value_at_hand<S, some>(cols - own);
      return;
    }
    const i64 tail =
        (cols + shift) / width * width - shift;  // where the last value begins, if it is no whole one
    // (`place.at < tail` would be the beginning of template arguments to nvcc, where a template is named so)
    place.at = own < 0 ? own + step : own;
    if constexpr (Traits::loads_ahead(S)) {
      WEFT_UNROLL_FOUR
      for (; tail > place.at; place.at += step) value_at_hand<S, width>(width);
    } else {
      for (; tail > place.at; place.at += step) value_at_hand<S, width>(width);
    }
    const bool has_head = own < 0, has_tail = tail < cols && (tail - own) % step == 0;
    for (int edge = 0; edge < 2; ++edge) {
      if (!(edge == 0 ? has_head : has_tail)) continue;
      begin_at(edge == 0 ? own : tail);
      value_at_hand<S, some>(cols - place.at);
    }
    this->first_active = 0;
  }
  template <int S>
  WEFT_HD_INLINE void all_columns(i64 last_cols) {
    constexpr i64 extent = header.col_axes > 0 ? View::extent(last_axis) : 1;
    const i64 cols = extent > 0 ? extent : last_cols;
    if constexpr (Traits::by_elements && last_extent() > 0) {
      for (i64 line = first_column / cols; line * cols < end_column; ++line) {
        place.go_to_line(line, cols);
        const i64 from = first_column - line * cols, to = end_column - line * cols;
        columns<S>(to < cols ? to : cols, from > 0 ? from : 0);
      }
    } else if constexpr (header.col_axes <= 1) {
      columns<S>(cols);
    } else {
      constexpr i64 lines = static_cols() / (extent > 0 ? extent : 1);
      for (i64 line = 0; line < lines; ++line) {
        place.go_to_line(line, cols);
        columns<S>(cols);
      }
    }
  }

  // What every row of the chunk reads alike.
  template <int I>
  WEFT_HD_INLINE void load_shared() {
    if constexpr (Traits::loads_once(I)) {
      constexpr Instruction in = View::instruction(I);
      element.template at<dtype(I), I>() =
          this->template load_operand<in.aux, Stage::element, Traits::lanes_of_vector>(in.imm);
    }
  }
  template <int... I>
  WEFT_HD_INLINE void load_all_shared(std::integer_sequence<int, I...>) {
    (load_shared<I>(), ...);
  }
  WEFT_HD_INLINE void load_what_rows_share(i64 row) {
    const i64 walked = place.go_to_row(args, row);
    const i64 cols = last_extent() > 0 ? last_extent() : walked;
    place.at = static_cast<i64>(team.rank()) * width;
    if (place.at >= cols) return;
    active = cols - place.at >= width ? width : static_cast<int>(cols - place.at);
    load_all_shared(upto<count>{});
  }

  // Pass P over a row: what is one number a row, then its columns.
  template <int P>
  WEFT_HD_INLINE void pass(i64 cols) {
    constexpr int s = 2 * P + 2, begin = View::section_begin(s);
    using Folds = upto<how_many(Opcode::reduce, begin, View::section_end(s))>;
    this->template section<s - 1>();
    this->template start_folds<begin>(Folds{});
    all_columns<s>(cols);
    this->template finish_folds<begin>(Folds{});
  }
  template <int... P>
  WEFT_HD_INLINE void passes([[maybe_unused]] i64 cols, std::integer_sequence<int, P...>) {
    (pass<P>(cols), ...);
  }

  // The chunk's rows, one after another.
  WEFT_HD_INLINE void run(i64 which) {
    chunk = which;
    if constexpr (Traits::by_elements) {
      run_elements(which);
      return;
    }
    if constexpr (header.batch_axes > 0) {
      run_batches(which);
    } else {
      i64 begin = which * args.rows_per_chunk;
      i64 end = begin + args.rows_per_chunk < args.rows ? begin + args.rows_per_chunk : args.rows;
      if constexpr (requires { args.first_row; }) begin += args.first_row, end += args.first_row;
      run_rows(begin, end);
    }
  }
  // The same where batches of rows have sums of their own: a chunk is whole batches, or a part of one.
  WEFT_HD_INLINE void run_batches(i64 which) {
    constexpr i64 rows = rows_of_batch<View>();
    if constexpr (has_any_batch_place<View>()) {
      const i64 begin = which * args.rows_per_chunk;
      const i64 end = begin + args.rows_per_chunk < args.rows ? begin + args.rows_per_chunk : args.rows;
      for (i64 row = begin; row < end; row += rows) run_rows(row, row + rows);
    } else {
      const i64 parts = (rows + args.rows_per_chunk - 1) / args.rows_per_chunk;
      const i64 from = which % parts * args.rows_per_chunk, to = from + args.rows_per_chunk;
      const i64 batch = which / parts * rows;
      run_rows(batch + from, batch + (to < rows ? to : rows));
    }
  }
  // Rows [begin, end), which have one sum.
  WEFT_HD_INLINE void run_rows(i64 begin, i64 end) {
    place.start();
    using Totals = upto<how_many(Opcode::accumulate, 0, count)>;
    this->template section<0>();
    this->start_totals(Totals{});
    if constexpr (Traits::loads_some_once()) load_what_rows_share(begin);
    if constexpr (Traits::reads_across())
      run_across(begin, end);
    else if constexpr (Traits::rows_of_value() > 1)
      run_together(begin, end);
    else
      run_each(begin, end);
    this->finish_totals(Totals{});
    if constexpr (past_operand() >= 0) finish_stores_past();
  }
  // Row after row.
  WEFT_HD_INLINE void run_each(i64 begin, i64 end) {
    // every group takes as many turns, so that a warp's way out is the block's
    for (i64 first = begin; first < end; first += detail::group_count<Team>) {
      const i64 row = first + detail::group_of(team);
      if (row < end) {
        first_row = row == begin;
        row_in_chunk = row - begin;
        row_start = row_in_chunk * static_cols();
        const i64 cols = place.go_to_row(args, row);
        passes(cols, upto<header.passes>{});
        this->template section<2 * header.passes + 1>();
      }
    }
  }
  // Of a map several rows, as far as they are neighbours, as one value.
  WEFT_HD_INLINE void run_together(i64 begin, i64 end) {
    constexpr int rows = Traits::rows_of_value();
    constexpr i64 extent = last_extent();
    constexpr i64 neighbours = header.row_axes > 1 ? View::extent(header.row_axes - 1) : 0;
    place.at = 0;
    for (i64 row = begin; row < end;) {
      i64 left = end - row;
      if constexpr (neighbours > 0) {
        const i64 near = neighbours - row % neighbours;
        if (near < left) left = near;
      }
      place.go_to_row(args, row);
      row += left;
      for (; left >= rows; left -= rows, place.skip_rows(rows))
        value_at_hand<2, Traits::lanes_of_rows>(width);
      if (left > 0) value_at_hand<2, some>(left * extent);
    }
  }
  // Of a map that reads across rows some columns of every row, then the next ones.
  WEFT_HD_INLINE void run_across(i64 begin, i64 end) {
    constexpr i64 step = Traits::columns_of_block, extent = last_extent();
    for (i64 column = 0; column < extent; column += step)
      for (i64 row = begin; row < end; ++row) {
        place.go_to_row(args, row);
        this->template section<1>();
        if (column + step < extent)
          whole_columns<2>(column, column + step);
        else
          columns<2>(extent, column);
      }
  }
  template <int S>
  WEFT_HD_INLINE void whole_columns(i64 first, i64 end) {
    for (place.at = first; end > place.at; place.at += width) value_at_hand<S, width>(width);
  }
  // The same of a chunk of elements; no sum along the rows or the columns is in such a kernel.
  WEFT_HD_INLINE void run_elements(i64 which) {
    constexpr bool flat = last_extent() == 0;
    constexpr i64 cols = flat ? tile_length : static_cols();
    const i64 size = (args.rows - 1) * cols + (flat ? args.last_cols : cols);
    const i64 begin = which * args.rows_per_chunk;
    const i64 end = begin + args.rows_per_chunk < size ? begin + args.rows_per_chunk : size;
    place.start();
    using Totals = upto<how_many(Opcode::accumulate, 0, count)>;
    this->template section<0>();
    this->start_totals(Totals{});
    for (i64 row = flat ? begin : begin / cols * cols; row < end; row += cols) {
      row_start = row - begin;
      first_column = row_start < 0 ? -row_start : 0;
      end_column = end - row < cols ? end - row : cols;
      if constexpr (flat)
        place.go_to_element(row);
      else
        place.go_to_row(args, row / cols);
      passes(end_column, upto<header.passes>{});
      this->template section<2 * header.passes + 1>();
    }
    this->finish_totals(Totals{});
  }
};

}  // namespace WEFT_NAMESPACE::kernels
