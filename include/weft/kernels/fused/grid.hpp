#pragma once
// How a fused kernel's code is spread over a GPU: how many columns a thread takes at once, how many threads
// share a row, how many rows share a block. Law: a function of the code and of the alignment of its operands
// alone, so the order of every sum is fixed by shapes.

#include "weft/kernels/fused/body.hpp"
#include "weft/kernels/team/sub_team.hpp"

namespace WEFT_NAMESPACE::kernels {

// Of a fused kernel's instructions: what they need from the machine.
template <class C>
struct FusedNeeds {
  using View = FusedView<C>;
  static constexpr FusedHeader header = View::header;
  static constexpr int last_axis = header.axes() - 1;
  static constexpr i64 last_extent = View::extent(last_axis);
  static constexpr bool flat = last_extent == 0;

  static constexpr bool has(Opcode op) {
    for (int i = 0; i < header.instructions; ++i)
      if (View::instruction(i).op == op) return true;
    return false;
  }
  static constexpr bool has(Role role) {
    for (int k = 0; k < header.operands; ++k)
      if (View::operand(k).role == role) return true;
    return false;
  }
  static constexpr bool reduces = has(Opcode::reduce);
  static constexpr bool sums_columns = has(Role::accumulate_columns);
  static constexpr bool sums = sums_columns || has(Role::accumulate_total);
  // Totals of elements, which the threads of a team put together.
  static constexpr bool sums_elements() {
    for (int i = 0; i < header.instructions; ++i) {
      const Instruction in = View::instruction(i);
      if (in.op == Opcode::accumulate && in.stage == Stage::element &&
          View::operand(in.aux).role == Role::accumulate_total)
        return true;
    }
    return false;
  }

  static constexpr int operands_of(Opcode op) {
    if (op == Opcode::select || op == Opcode::fma) return 3;
    if (op == Opcode::constant || op == Opcode::load || op == Opcode::index || op == Opcode::kept) return 0;
    return op >= Opcode::add && op <= Opcode::shift_right ? 2 : 1;
  }
  // The most 4-byte registers that the values of one column take at a time, running sums included.
  static constexpr int live_words() {
    int now = 0, most = 0;
    int last[header.instructions > 0 ? header.instructions : 1]{};
    const auto words = [](int i) {
      const DType t = static_cast<DType>(View::instruction(i).dtype);
      return kind_of(t) == Kind::f64 || kind_of(t) == Kind::i64 ? 2 : 1;
    };
    for (int i = 0; i < header.instructions; ++i) {
      const Instruction in = View::instruction(i);
      const int operand[3]{in.a, in.b, in.c};
      for (int k = 0; k < operands_of(in.op); ++k) last[operand[k]] = i;
      if (in.op == Opcode::accumulate) now += words(i);
      if (in.op == Opcode::keep) now += words(i);  // until the row's last pass
      if (in.op == Opcode::reduce) now += static_cast<Fold>(in.aux) >= Fold::argmax ? 3 : words(i);
    }
    for (int i = 0; i < header.instructions; ++i) {
      const Instruction in = View::instruction(i);
      if (in.stage == Stage::element && in.op < Opcode::reduce) now += words(i);
      if (in.op == Opcode::random) now += 6;
      if (most < now) most = now;
      if (in.op == Opcode::random) now -= 6;
      const int operand[3]{in.a, in.b, in.c};
      for (int k = 0; k < operands_of(in.op); ++k) {
        bool first = true;
        for (int j = 0; j < k; ++j) first = first && operand[j] != operand[k];
        if (first && last[operand[k]] == i && View::instruction(operand[k]).stage == Stage::element)
          now -= words(operand[k]);
      }
    }
    return most;
  }

  // Whether operand k is walked element by element along the last axis.
  static constexpr bool is_dense(int k) { return is_dense_operand<View>(k); }
  // Whether values of w columns may begin before their row, where memory is aligned.
  static constexpr i64 shortest_shifted_row = 64;
  static constexpr bool shifts() {
    bool windows = false;
    for (int k = 0; k < header.operands; ++k) windows = windows || View::operand(k).window;
    return !windows && !flat && header.col_axes == 1 && !sums_columns &&
           last_extent >= shortest_shifted_row && shifting_operand<View>() >= 0;
  }
  static constexpr bool rereads() {
    for (int k = 0; k < header.operands; ++k)
      if (reads_often<View>(k)) return true;
    return false;
  }
  // Whether values of w columns start where an access of up to 16 bytes may.
  static constexpr bool allows(int w) {
    if (!flat && last_extent % w != 0) return false;
    for (int k = 0; k < header.operands; ++k) {
      if (!is_dense(k)) continue;
      const i64 size = size_of(View::operand(k).dtype), bytes = w * size < 16 ? w * size : 16;
      for (int a = 0; a < last_axis; ++a)
        if (View::stride(k, a) * size % bytes != 0) return false;
    }
    return true;
  }
};

// `Align`: bytes that every dense operand's address is a multiple of, 16 at most. `Large`: whether a block
// may have more than 48 KiB of shared memory.
template <class C, int Align, bool Large = false>
struct FusedGrid {
  using Needs = FusedNeeds<C>;
  static constexpr FusedHeader header = Needs::header;

  static constexpr int most_words = 72;
  static constexpr int widest_width() {
    i64 widest = 1;
    for (int k = 0; k < header.operands; ++k)
      if (Needs::is_dense(k) && widest < size_of(Needs::View::operand(k).dtype))
        widest = size_of(Needs::View::operand(k).dtype);
    int w = widest <= 2 ? 8 : static_cast<int>(16 / widest);
    while (w > 1 && (Align < 16 || Needs::live_words() * w > most_words)) w /= 2;
    return w;
  }
  static constexpr int exact_width() {
    int w = widest_width();
    while (w > 1 && !Needs::allows(w)) w /= 2;
    return w;
  }
  static constexpr bool shifted = exact_width() == 1 && widest_width() > 1 && Needs::shifts();
  static constexpr int width = shifted ? widest_width() : exact_width();

  // Of a row that several passes read: its threads, and what they would take to stage it.
  template <bool Staged>
  using FamilyOf = std::conditional_t<
      width == 1, ScalarFamily,
      std::conditional_t<shifted || Staged, RowFamily<width, shifted, Staged>, VecFamily<width>>>;
  template <bool Staged>
  static constexpr i64 row_bytes() {
    return FusedBody<C, FamilyOf<Staged>, SerialTeam, LaunchArgs, 1>::Traits::row_bytes();
  }
  // What a kernel may take without asking for more, reductions' scratch of 32 bytes a warp aside
  // (team/cuda.cuh), and what every GPU of compute capability 9.0 gives.
  static constexpr i64 most_shared_bytes = 48 * 1024 - 1024, most_large_bytes = 227 * 1024 - 1024;
  static constexpr bool can_stage =
      width > 1 && !Needs::flat && header.col_axes == 1 && Needs::reduces && Needs::rereads() && !Needs::sums;
  // Whether the row fits only where a kernel asks for more.
  static constexpr bool wants_large = can_stage &&
                                      row_bytes<true>() >
                                          most_shared_bytes&& row_bytes<true>() <= most_large_bytes;
  static constexpr bool stages =
      can_stage && row_bytes<true>() <= (Large ? most_large_bytes : most_shared_bytes);
  using Family = FamilyOf<stages>;

  // Values of a row of known length.
  static constexpr i64 values = (Needs::last_extent + width - 1) / width + (shifted ? 1 : 0);
  // Rows without reductions can be cut among blocks: flat ones, and those of sums along the rows, whose
  // columns then stay in registers.
  static constexpr bool tiles = !Needs::flat && header.col_axes == 1 && Needs::sums_columns &&
                                !Needs::reduces && !Needs::sums_elements() && values > 512;
  static constexpr bool spans = (Needs::flat && !Needs::sums && !Needs::reduces) || tiles;
  // To put together what a row's threads have found costs each of them as much as several values. So each has
  // several where they are read once: from shared memory, if more than one pass reads them.
  static constexpr int values_a_thread = 4;
  static constexpr bool shares_reductions =
      Needs::reduces && !Needs::sums && header.col_axes == 1 &&
      (!Needs::rereads() || (can_stage && row_bytes<true>() <= most_large_bytes));
  // Groups put their sums together one after another, so there may not be too many.
  static constexpr int least_summing_lanes = 8;
  static constexpr int team_threads() {
    if (Needs::flat || tiles) return 256;
    if (!Needs::reduces && !Needs::sums && values <= 128) return static_cast<int>(values);
    // Of a row that a part of a warp takes in one go the other lanes take other rows.
    if (header.col_axes == 1 && values <= warp_size / 2) {
      int taking = Needs::sums ? least_summing_lanes : 1;
      while (taking < values) taking *= 2;
      return taking;
    }
    const bool heavy = Needs::live_words() * width > 40;
    // Where two blocks fill a multiprocessor's shared memory, its warps are theirs.
    const i64 most = wants_large                                         ? (heavy ? 512 : 1024)
                     : !heavy && (Needs::reduces || Needs::sums_columns) ? 512
                                                                         : 256;
    const i64 busy = shares_reductions ? (values + values_a_thread - 1) / values_a_thread : values;
    return static_cast<int>(busy >= most ? most : (busy + warp_size - 1) / warp_size * warp_size);
  }
  static constexpr int threads = team_threads();
  static constexpr int parts = tiles   ? static_cast<int>((values + threads - 1) / threads)
                               : spans ? static_cast<int>(tile_length / (threads * width))
                                       : 1;
  static constexpr bool single =
      !Needs::flat && header.col_axes == 1 &&
      Needs::last_extent + (shifted ? width - 1 : 0) <= i64{threads} * parts * width;
  // Every group keeps values of its own row in shared memory.
  static constexpr i64 shared_bytes_of(int n) {
    return (n > 1 && Needs::sums ? i64{12} * threads * n : 0) + (single ? 0 : row_bytes<stages>() * n);
  }
  static constexpr int choose_groups() {
    // groups of several warps cannot reduce
    if (spans || ((Needs::reduces || Needs::sums_elements()) && threads > warp_size) ||
        (Needs::sums_columns && !single))
      return 1;
    if (Needs::flat) return 1;
    const int per_block = Needs::sums || threads % warp_size != 0 ? 256 : 128;
    int n = per_block > threads ? per_block / threads : 1;
    while (n > 1 && shared_bytes_of(n) > most_shared_bytes) n /= 2;
    return n;
  }
  static constexpr int groups = choose_groups();
  static constexpr int block = (threads * groups + warp_size - 1) / warp_size * warp_size;

  template <class Base>
  using Team =
      std::conditional_t<spans, SpanTeam<Base, threads, parts>, SubTeam<Base, threads, groups, Needs::sums>>;
  template <class Base, class Args>
  using Body = FusedBody<C, Family, Team<Base>, Args, threads * parts>;

  // Dynamic shared memory of a block, in bytes.
  static constexpr i64 shared_bytes() { return spans ? 0 : shared_bytes_of(groups); }

  // What block `b` does.
  template <class Base, class Args>
  WEFT_HD_INLINE static void run(Base& base, const Args& args, i64 b) {
    if constexpr (spans) {
      Team<Base> team(base, static_cast<int>(b % parts));
      Body<Base, Args> body(team, args);
      body.run(b / parts);
    } else {
      Team<Base> team(base);
      Body<Base, Args> body(team, args);
      body.run(b);
    }
  }
};

// How a launch's rows are cut for the GPU. Without sums along the rows any cut gives the same results; with
// them, one piece stays one piece, and several become enough to fill a GPU. Behind the end of a flat walk,
// whose last row has `last_cols` columns, there is no block: it would read what the others write in place.
struct FusedCut {
  i64 rows_per_chunk = 1, chunks = 1, blocks = 1;
};
inline constexpr i64 most_summed_chunks = 512;
// Where batches of rows have sums of their own: a chunk is a batch, or one of its parts.
template <class Grid>
constexpr FusedCut cut_of_batches(i64 rows) {
  using View = typename Grid::Needs::View;
  constexpr i64 batch_rows = rows_of_batch<View>();
  const i64 batches = rows / batch_rows;
  i64 parts = 1;
  if constexpr (!has_any_batch_place<View>()) {
    const i64 share = most_summed_chunks / Grid::parts / batches;
    const i64 most = (batch_rows + Grid::groups - 1) / Grid::groups;
    parts = share < 1 ? 1 : share < most ? share : most;
  }
  const i64 per_chunk = (batch_rows + parts - 1) / parts;
  const i64 chunks = batches * ((batch_rows + per_chunk - 1) / per_chunk);
  return {per_chunk, chunks, chunks * Grid::parts};
}
template <class Grid>
constexpr FusedCut fused_cut(i64 rows, i64 planned_chunks, i64 last_cols) {
  if (rows == 0) return {1, 0, 0};  // of ranks that share state out some have none
  if constexpr (Grid::header.batch_axes > 0) {
    return cut_of_batches<Grid>(rows);
  } else {
    FusedCut cut;
    if constexpr (Grid::Needs::sums) {
      i64 chunks = planned_chunks > 1 ? (rows + Grid::groups - 1) / Grid::groups : 1;
      if (chunks > most_summed_chunks / Grid::parts) chunks = most_summed_chunks / Grid::parts;
      if (chunks < 1) chunks = 1;
      cut.rows_per_chunk = chunks > 0 ? (rows + chunks - 1) / chunks : 1;
    } else {
      cut.rows_per_chunk = Grid::groups;
    }
    cut.chunks = (rows + cut.rows_per_chunk - 1) / cut.rows_per_chunk;
    cut.blocks = cut.chunks * Grid::parts;
    if constexpr (Grid::spans && Grid::Needs::flat && !Grid::header.segmented) {
      constexpr i64 span = i64{Grid::threads} * Grid::width;
      const i64 reached = (last_cols + span - 1) / span;
      if (reached > 0 && reached < Grid::parts) cut.blocks -= Grid::parts - reached;
    }
    return cut;
  }
}

}  // namespace WEFT_NAMESPACE::kernels
