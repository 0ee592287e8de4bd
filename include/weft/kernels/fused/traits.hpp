#pragma once
// What a fused kernel's code says of the body that runs it: widths, extents, which loads and sums need what.
// Law: constants of the code, of the family of values and of the kind of team.

#include "weft/kernels/fused/parts.hpp"
#include "weft/kernels/fused/place.hpp"

namespace WEFT_NAMESPACE::kernels {

// Whether operand k is walked element by element along the last axis.
template <class View>
WEFT_HD constexpr bool is_dense_operand(int k) {
  const OperandWord o = View::operand(k);
  if (o.role == Role::accumulate_columns) return true;
  return (o.role == Role::load || o.role == Role::store) && !o.window &&
         View::stride(k, View::header.axes() - 1) == 1;
}
// The operand whose rows' places in aligned values decide where values begin: what is stored, else what is
// loaded.
template <class View>
WEFT_HD constexpr int shifting_operand() {
  for (const Role role : {Role::store, Role::load})
    for (int k = 0; k < View::header.operands; ++k)
      if (View::operand(k).role == role && is_dense_operand<View>(k)) return k;
  return -1;
}
template <class View>
WEFT_HD constexpr bool shifts_alike(int k, int other, int width) {
  for (int a = 0; a < View::header.row_axes; ++a)
    if ((View::stride(k, a) - View::stride(other, a)) % width != 0) return false;
  return true;
}
// Whether several passes load operand k, whose elements follow each other.
template <class View>
WEFT_HD constexpr bool reads_often(int k) {
  if (!is_dense_operand<View>(k) || View::operand(k).role != Role::load) return false;
  int loads = 0;
  for (int i = 0; i < View::header.instructions; ++i) {
    const Instruction in = View::instruction(i);
    loads += in.op == Opcode::load && in.stage == Stage::element && in.aux == k;
  }
  return loads > 1;
}

// Rows at one place of the batch axes; 0 without those.
template <class View>
WEFT_HD constexpr i64 rows_of_batch() {
  if (View::header.batch_axes == 0) return 0;
  i64 rows = 1;
  for (int a = View::header.batch_axes; a < View::header.row_axes; ++a) rows *= View::extent(a);
  return rows;
}
// Whether operand k, sums along the rows, has a place for every batch, and not for every chunk.
template <class View>
WEFT_HD constexpr bool has_batch_places(int k) {
  if (View::operand(k).role != Role::accumulate_columns) return false;
  for (int a = 0; a < View::header.batch_axes; ++a)
    if (View::stride(k, a) != 0) return true;
  return false;
}
template <class View>
WEFT_HD constexpr bool has_any_batch_place() {
  for (int k = 0; k < View::header.operands; ++k)
    if (has_batch_places<View>(k)) return true;
  return false;
}

// `Threads`: the team's size where that is known, else 0. A thread that visits at most one value of a row (a
// `single` kernel) keeps what it loaded and computed for the later passes, and its sums along the rows, in
// registers.
template <class C, class Family, class Team, int Threads>
struct FusedTraits {
  using View = FusedView<C>;
  static constexpr FusedHeader header = View::header;
  static constexpr int count = header.instructions;
  static constexpr int width = Family::width;
  static_assert(widest_value % width == 0);
  static constexpr bool vector = detail::is_vec_family<Family>;
  // Of a GPU's kernels of rows (RowFamily).
  static constexpr bool shifted = [] {
    if constexpr (requires { Family::shifted; }) return Family::shifted;
    return false;
  }();
  static constexpr bool stages = [] {
    if constexpr (requires { Family::staged; }) return Family::staged;
    return false;
  }();
  // What computes an element: the family, or its lanes one by one.
  using Arithmetic = std::conditional_t<vector, ScalarFamily, Family>;

  // Who holds the value of an instruction: each column its own, the row one for all, or a running sum.
  enum class Holder { element, row, sum };
  WEFT_HD static constexpr bool holds(Holder holder, int i, Kind kind) {
    const Instruction in = View::instruction(i);
    const bool sum = in.op == Opcode::reduce || in.op == Opcode::accumulate;
    if (holder == Holder::element ? in.stage != Stage::element
        : holder == Holder::row   ? in.stage == Stage::element && !sum
                                  : !sum)
      return false;
    return kind_of(static_cast<DType>(in.dtype)) == kind ||
           (sum && kind_of(static_cast<DType>(View::instruction(in.a).dtype)) == kind);
  }
  // The registers of a holder are packed by kind: nvcc 13.0 leaves arrays of some 12 KB in local memory.
  struct Places {
    int of[6][count + 1]{};  // of instruction i in the array of its kind; of `count` the array's length
  };
  template <Holder holder>
  WEFT_HD static constexpr Places make_places() {
    Places p;
    for (int kind = 0; kind < 6; ++kind)
      for (int i = 0; i < count; ++i)
        p.of[kind][i + 1] = p.of[kind][i] + holds(holder, i, static_cast<Kind>(kind));
    return p;
  }
  template <Holder holder>
  static constexpr Places places = make_places<holder>();
  template <Holder holder, Kind kind>
  static constexpr int registers =
      places<holder>.of[static_cast<int>(kind)][count] > 0 ? places<holder>.of[static_cast<int>(kind)][count]
                                                           : 1;
  template <class F, Holder holder>
  struct BankOf : detail::Bank<F, registers<holder, Kind::f32>, registers<holder, Kind::f64>,
                               registers<holder, Kind::i32>, registers<holder, Kind::u32>,
                               registers<holder, Kind::i64>, registers<holder, Kind::mask>> {
    template <DType t, int I>
    WEFT_HD_INLINE auto& at() {
      constexpr int place = places<holder>.of[static_cast<int>(kind_of(t))][I];
      return BankOf::Bank::template at<t, place>();
    }
  };

  WEFT_HD static constexpr i64 static_cols() {
    i64 n = 1;
    for (int a = 0; a < header.col_axes; ++a) n *= View::extent(header.row_axes + a);
    return n;
  }
  static constexpr int last_axis = header.axes() - 1;
  WEFT_HD static constexpr i64 last_extent() { return View::extent(last_axis); }
  static constexpr bool single = Threads > 0 && header.col_axes == 1 &&
                                 (last_extent() > 0 ? last_extent() + (shifted ? width - 1 : 0)
                                                    : tile_length) <= i64{Threads} * width;
  // How many values a row has at the most.
  WEFT_HD static constexpr i64 values_in_row() {
    return (static_cols() + width - 1) / width + (shifted ? 1 : 0);
  }
  // Whether what is kept of a row is kept in words of 4 bytes, as a GPU's threads do; else whole values of
  // the widest kind.
  static constexpr bool in_words = vector || width == 1;
  WEFT_HD static constexpr i64 whole_accesses(i64 bytes) { return (bytes + 15) / 16 * 16; }
  WEFT_HD static constexpr i64 kept_offset(int slot) {
    i64 at = 0;
    for (int j = 0; j < slot; ++j) {
      const Kind kind = kind_of(dtype(kept_value(j)));
      at += whole_accesses((kind == Kind::f64 || kind == Kind::i64 ? 8 : 4) * width * values_in_row());
    }
    return at;
  }
  WEFT_HD static constexpr i64 kept_bytes() {
    if constexpr (in_words) return kept_offset(header.kept);
    // a line's last value reaches beyond the line, and that of the last line beyond the row
    const i64 behind = last_extent() > 0 ? (widest_value - last_extent() % widest_value) % widest_value : 0;
    return header.kept * ((static_cols() + behind + widest_value - 1) / widest_value * widest_value * 8);
  }
  // Whether operand k's rows begin at the same place of an aligned value as those of the operand that shifts.
  WEFT_HD static constexpr bool in_phase(int k) {
    if constexpr (shifted) return shifts_alike<View>(k, shifting_operand<View>(), width);
    return true;
  }
  // Whether passes behind the first read operand k from shared memory.
  WEFT_HD static constexpr bool is_staged(int k) {
    if constexpr (stages && !single)
      return reads_often<View>(k) && width * size_of(View::operand(k).dtype) % 4 == 0;
    return false;
  }
  // Where operand k lies behind what is kept, in bytes; of the number of operands, the end.
  WEFT_HD static constexpr i64 staged_offset(int k) {
    i64 at = kept_bytes();
    for (int j = 0; j < k; ++j)
      if (is_staged(j)) at += whole_accesses(values_in_row() * width * size_of(View::operand(j).dtype));
    return at;
  }
  // What a team has of shared memory for its row.
  WEFT_HD static constexpr i64 row_bytes() { return single ? 0 : staged_offset(header.operands); }
  // Whether section s only loads and folds, so that the loads of several values may come first.
  WEFT_HD static constexpr bool loads_ahead(int s) {
    for (int i = View::section_begin(s); i < View::section_end(s); ++i)
      if (View::instruction(i).op == Opcode::store && View::instruction(i).stage == Stage::element)
        return false;
    return View::section_end(s) - View::section_begin(s) <= 12;
  }
  // How many values of a row each thread has, where all have as many and more than one.
  WEFT_HD static constexpr i64 whole_turns() {
    if constexpr (vector && !single && Threads > 0 && header.col_axes == 1) {
      constexpr i64 turn = i64{Threads} * width;
      return last_extent() % turn == 0 ? last_extent() / turn : 0;
    } else {
      return 0;
    }
  }
  // Lanes: how many columns of a value exist where the code tells, else `some`, which is `active` of them.
  static constexpr int some = 0;
  // Chunks begin and end within rows. Of a GPU's kernels they are always whole rows.
  static constexpr bool by_elements = header.by_elements && !vector && detail::is_serial<Team>;
  // Whether lanes hold the elements of a line in the order of what lies before it: those of a row where it is
  // several lines, those of a chunk where it is several rows.
  static constexpr bool lines_turn = width > 1 && !vector && header.col_axes > 1 &&
                                     last_extent() % width != 0;
  static constexpr bool rows_turn =
      lines_turn || (width > 1 && !vector && last_extent() > 0 && static_cols() % width != 0);
  WEFT_HD static constexpr bool has_order(DType t, Fold fold) {
    return is_float(t) && (fold == Fold::sum || fold == Fold::prod);
  }
  // Whether every row ends with a whole value. Of rows whose length is a launch argument only the host makes
  // use of that: nvcc unrolls a walk that does not ask, and spills.
  WEFT_HD static constexpr bool ends_whole() {
    if (last_extent() > 0) return last_extent() % width == 0;
    return width == 1 || (!vector && header.even);
  }
  // The columns that are left where a row's whole values end.
  static constexpr int ending =
      last_extent() > 0 && !by_elements ? static_cast<int>(last_extent() % width) : some;
  // Of a value of a GPU's thread.
  static constexpr int lanes_of_vector = ends_whole() ? width : some;

  // Rows much longer than the first cache: the pass before the last brings in the next row while it computes,
  // and a last pass that only maps writes its f32 result past the caches, where that is larger than any of
  // them: its lines are then not read before they are written.
  static constexpr bool long_rows =
      width > 1 && !vector && header.col_axes == 1 && header.row_axes >= 1 && last_extent() >= 4096;
  static constexpr i64 past_bytes = i64{1} << 26;
  static constexpr int last_elements = 2 * header.passes;
  // How many rows of a map a value of the host takes: of rows that are half a value or less several, column
  // j % extent of row j / extent in lane j; else one.
  WEFT_HD static constexpr int rows_of_value() {
    constexpr i64 extent = last_extent();
    if constexpr (vector || width == 1 || header.col_axes != 1 || header.passes != 1 || header.segmented ||
                  header.by_elements || extent < 1 || 2 * extent > width) {
      return 1;
    } else {
      bool maps = true;
      for (int i = 0; i < count; ++i) {
        const Instruction in = View::instruction(i);
        maps = maps && in.stage != Stage::row && in.op != Opcode::reduce && in.op != Opcode::accumulate &&
               in.op != Opcode::keep && in.op != Opcode::random;
      }
      constexpr int rows = header.row_axes - 1;  // windows must be as high as their rows are many
      for (int k = 0; k < header.operands; ++k)
        if (View::operand(k).window)
          maps = maps && rows > 0 && View::low(k, rows) == 0 && View::high(k, rows) == View::extent(rows);
      return maps ? static_cast<int>(width / extent) : 1;
    }
  }
  static constexpr int lanes_of_rows = rows_of_value() > 1 ? static_cast<int>(rows_of_value() * last_extent())
                                                           : width;
  // Where operand K's element in lane j is, from that in lane 0. (Constants, as device code has no array of
  // the code's words.)
  template <int K>
  WEFT_HD static constexpr i64 lane_offset(int j) {
    constexpr i64 extent = last_extent() > 0 ? last_extent() : 1;
    constexpr i64 across = View::stride(K, header.row_axes - 1), along = View::stride(K, last_axis);
    return j / extent * across + j % extent * along;
  }
  // Whether the elements of several rows of operand k follow each other.
  WEFT_HD static constexpr bool rows_follow(int k) {
    return View::stride(k, last_axis) == 1 && View::stride(k, header.row_axes - 1) == last_extent();
  }

  // A map that reads across the rows of its operand, as of a transpose. The host walks some of the columns
  // through all rows of the chunk before the next: what lies side by side in memory is then read together.
  static constexpr i64 columns_of_block = 64;
  WEFT_HD static constexpr bool reads_across() {
    if constexpr (vector || width == 1 || header.col_axes != 1 || header.passes != 1 || header.by_elements ||
                  last_extent() < 2 * columns_of_block) {
      return false;
    } else {
      bool maps = true, across = false;
      for (int i = 0; i < count; ++i) {
        const Instruction in = View::instruction(i);
        maps = maps && in.op != Opcode::reduce && in.op != Opcode::accumulate && in.op != Opcode::keep &&
               in.op != Opcode::random && (in.op != Opcode::store || in.stage == Stage::element);
        across = across ||
                 (in.op == Opcode::load && in.stage == Stage::element &&
                  View::stride(in.aux, last_axis) >= width && View::stride(in.aux, header.row_axes - 1) == 1);
      }
      return maps && across;
    }
  }
  // The operand that the last pass writes so, else -1.
  WEFT_HD static constexpr int past_operand() {
    if (reads_across()) return -1;
    if (!long_rows || !stores_past_caches || header.passes < 1) return -1;
    int found = -1;
    for (int i = View::section_begin(last_elements); i < View::section_end(last_elements); ++i) {
      const Instruction in = View::instruction(i);
      if (in.op == Opcode::reduce || in.op == Opcode::accumulate || in.op == Opcode::keep ||
          in.op == Opcode::kept)
        return -1;
      if (in.op == Opcode::store && found < 0 && View::operand(in.aux).dtype == DType::f32 &&
          View::stride(in.aux, last_axis) == 1)
        found = in.aux;
    }
    return found;
  }
  WEFT_HD static constexpr bool brings_next_row(int i) {
    const Instruction in = View::instruction(i);
    if constexpr (long_rows && header.passes > 2) {
      constexpr int s = last_elements - 2;
      return i >= View::section_begin(s) && i < View::section_end(s) && !View::operand(in.aux).window &&
             View::stride(in.aux, last_axis) == 1 && View::stride(in.aux, header.row_axes - 1) > 0;
    } else {
      return false;
    }
  }

  // How many instructions of [begin, end) are `op`, and which is the n-th of them.
  WEFT_HD static constexpr int how_many(Opcode op, int begin, int end) {
    int n = 0;
    for (int i = begin; i < end; ++i) n += View::instruction(i).op == op;
    return n;
  }
  WEFT_HD static constexpr int nth(Opcode op, int begin, int n) {
    while (View::instruction(begin).op != op || n-- > 0) ++begin;
    return begin;
  }

  WEFT_HD static constexpr DType dtype(int i) { return static_cast<DType>(View::instruction(i).dtype); }

  // The instruction that loaded the same elements in an earlier pass, else -1.
  WEFT_HD static constexpr int earlier_load(int i) {
    const Instruction in = View::instruction(i);
    for (int j = 0; j < i; ++j) {
      const Instruction other = View::instruction(j);
      if (other.op == Opcode::load && other.stage == Stage::element && other.aux == in.aux) return j;
    }
    return -1;
  }
  // Whether instruction i loads the same columns in every row of a chunk: a thread that visits one value of a
  // row loads them once. Only where chunks have many rows, which are those of sums along them, and of code so
  // short that registers are left: of 61 instructions nvcc 13.0 has been seen to spill.
  static constexpr int most_sharing_instructions = 60;
  WEFT_HD static constexpr bool loads_once(int i) {
    const Instruction in = View::instruction(i);
    if (!single || count > most_sharing_instructions || !vector || shifted || header.segmented ||
        in.op != Opcode::load || in.stage != Stage::element)
      return false;
    if (!is_dense_operand<View>(in.aux) || earlier_load(i) >= 0) return false;
    for (int a = 0; a < header.row_axes; ++a)
      if (View::stride(in.aux, a) != 0) return false;
    bool sums = false;
    for (int k = 0; k < count; ++k) sums = sums || View::instruction(k).op == Opcode::accumulate;
    return sums;
  }
  WEFT_HD static constexpr bool loads_some_once() {
    for (int i = 0; i < count; ++i)
      if (loads_once(i)) return true;
    return false;
  }
  // The value that slot `slot` keeps.
  WEFT_HD static constexpr int kept_value(int slot) {
    for (int j = 0; j < count; ++j) {
      const Instruction in = View::instruction(j);
      if (in.op == Opcode::keep && in.aux == slot) return in.a;
    }
    return 0;
  }
  // Whether the index register i is a multiple of the width in a value's first lane.
  WEFT_HD static constexpr bool index_is_aligned(int i) {
    const Instruction in = View::instruction(i);
    if (shifted || in.op != Opcode::index || View::stride(in.aux, last_axis) != 1) return false;
    for (int a = 0; a < last_axis; ++a)
      if (View::stride(in.aux, a) % 4 != 0) return false;
    return true;
  }
  // Whether the host's lanes draw random words of elements that are neighbours.
  WEFT_HD static constexpr bool draws_ahead(int i) {
    const Instruction in = View::instruction(i);
    if (width == 1 || vector || in.op != Opcode::random || in.stage != Stage::element) return false;
    const Instruction index = View::instruction(in.a);
    return index.op == Opcode::index && index.stage == Stage::element &&
           View::stride(index.aux, last_axis) == 1;
  }
  WEFT_HD static constexpr bool draws_any_ahead() {
    for (int i = 0; i < count; ++i)
      if (draws_ahead(i)) return true;
    return false;
  }

  // A sum along the rows that a register holds until the chunk's end: of rows that are one value.
  static constexpr bool narrow = !vector && Threads == 0 && header.col_axes == 1 && last_extent() > 0 &&
                                 last_extent() <= width;
  WEFT_HD static constexpr bool is_register_sum(int i) {
    const Instruction in = View::instruction(i);
    return in.op == Opcode::accumulate &&
           (single || narrow || View::operand(in.aux).role == Role::accumulate_total);
  }
  // Whether the lanes of accumulate i turn as rows do: of a total.
  WEFT_HD static constexpr bool total_turns(int i) {
    return rows_turn && View::operand(View::instruction(i).aux).role == Role::accumulate_total;
  }
  // Whether a row's number is added to the lane of its row, as a walk over the rows' numbers would.
  WEFT_HD static constexpr bool is_laned_row_total(int i) {
    const Instruction in = View::instruction(i);
    return width > 1 && !vector && in.stage != Stage::element &&
           has_order(dtype(in.a), static_cast<Fold>(in.aux2));
  }
  // Whether instruction i sums blocks, with what rounding loses of them: one thread's sums, as a GPU's
  // threads have few numbers each.
  WEFT_HD static constexpr bool is_compensated(int i) {
    return detail::is_serial<Team> && !vector && View::instruction(i).compensated;
  }
  WEFT_HD static constexpr bool is_any_compensated() {
    for (int i = 0; i < count; ++i)
      if (is_compensated(i)) return true;
    return false;
  }
  // Of the columns of such sums along the rows, a value's width behind them included; else 0. Chunks of more
  // rows than a plain sum may have are of narrow rows (rows_of_chunk in kernel_ir/iteration_space.hpp).
  WEFT_HD static constexpr i64 long_columns() {
    for (int i = 0; i < count; ++i) {
      const Instruction in = View::instruction(i);
      if (in.op == Opcode::accumulate && is_compensated(i) &&
          View::operand(in.aux).role == Role::accumulate_columns)
        return static_cols() + width;
    }
    return 0;
  }
  WEFT_HD static constexpr i64 columns_in_row() { return last_extent() > 0 ? last_extent() : tile_length; }
};

}  // namespace WEFT_NAMESPACE::kernels
