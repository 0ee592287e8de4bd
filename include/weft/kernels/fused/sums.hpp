#pragma once
// The running sums of a fused kernel's body: those of a row along its columns, and those of a chunk along its
// rows or over everything. Law: in a serial team lane l of a float's sum takes the elements l, l + width,
// l + 2 width, ... of what is summed in row-major order (of the row, of the chunk), however the walk cuts
// that into lines; then the lanes are added in a fixed tree. In long sums a lane adds up 32 of its elements
// at a time, and these sums with what rounding loses of them.

#include "weft/kernels/fused/traits.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {
// Lane j becomes what lane j + by was, modulo the width. Not inline: it is called once a line at most, and
// would be code in every kernel.
template <class V>
[[gnu::noinline]] WEFT_HD void turn_lanes(V& v, int by) {
  constexpr int width = static_cast<int>(sizeof(V) / sizeof(lane_of<V>));
  lane_of<V> twice[2 * width];
  store(twice, v);
  store(twice + width, v);
  v = load<V>(static_cast<const lane_of<V>*>(twice) + by);
}
template <Fold fold, class V>
[[gnu::noinline]] WEFT_HD void add_to_lane(V& v, lane_of<V> x, int lane) {
  constexpr int width = static_cast<int>(sizeof(V) / sizeof(lane_of<V>));
  lane_of<V> lanes[width];
  store(lanes, v);
  lanes[lane] = combine<fold>(lanes[lane], x);
  v = load<V>(static_cast<const lane_of<V>*>(lanes));
}
}  // namespace detail

// Traits: FusedTraits. Instruction I is a reduce or an accumulate; x is its operand, neutral in lanes that do
// not exist.
template <class Traits, class Family, class Team>
struct FusedSums {
  using View = typename Traits::View;
  static constexpr int width = Traits::width, count = Traits::count;
  static constexpr bool vector = Traits::vector;

  using Registers = typename Traits::template BankOf<Family, Traits::Holder::sum>;
  Registers folds;   // of a row
  Registers totals;  // of the chunk
  WEFT_HD static constexpr int sums_before(int end) {
    int n = 0;
    for (int i = 0; i < end; ++i)
      n += View::instruction(i).op == Opcode::reduce || View::instruction(i).op == Opcode::accumulate;
    return n;
  }
  template <int I>
  static constexpr int nth_sum = sums_before(I);
  static constexpr int sums = sums_before(count) > 0 ? sums_before(count) : 1;
  // A long sum: what its blocks add up to and what that has lost, for every lane, and the number of values in
  // the block at hand, whose sum is in `folds` or `totals`.
  struct LongSum {
    using V = typename Family::template value<float>;
    V sum, lost;
    int values;
  };
  LongSum long_sums[Traits::is_any_compensated() ? sums : 1];
  // Columns of what is greatest or least so far; of lanes as integers as wide as they are.
  static constexpr bool in_lanes_of_host = width > 1 && !vector;
  struct Places {
    i64 wide[width];
    i32 narrow[in_lanes_of_host ? width : 1];
  };
  Places best_places[sums];
  float long_columns[Traits::long_columns() > 0 ? 2 * sums* Traits::long_columns() : 1];
  int first_lane[Traits::rows_turn ? sums : 1];  // of sums whose lanes turn: which elements lane 0 takes

  WEFT_HD static constexpr DType dtype(int i) { return Traits::dtype(i); }
  WEFT_HD static constexpr bool has_order(DType t, Fold fold) { return Traits::has_order(t, fold); }

  template <int I>
  WEFT_HD_INLINE void start_fold() {
    constexpr Instruction in = View::instruction(I);
    constexpr Fold fold = static_cast<Fold>(in.aux);
    constexpr DType t = fold >= Fold::argmax ? dtype(in.a) : dtype(I);
    using V = value_of<Family, t>;
    auto& running = folds.template at<t, I>();
    if constexpr (Traits::lines_turn) first_lane[nth_sum<I>] = 0;
    if constexpr (fold == Fold::argmax || fold == Fold::argmin) {
      running =
          fill_value<V>(detail::neutral < fold == Fold::argmax ? Fold::max : Fold::min, lane_of < V >> ());
      if constexpr (in_lanes_of_host) {
        using P = mask_of<V>;
        store(places<P>(nth_sum<I>), splat<P>(detail::greatest_value<lane_of<P>>));
      } else {
        WEFT_UNROLL
        for (int j = 0; j < width; ++j) best_places[nth_sum<I>].wide[j] = detail::greatest_value<i64>;
      }
    } else {
      running = fill_value<V>(detail::neutral<fold, lane_of<V>>());
      start_long<I>();
    }
  }
  // Adds the `present` columns from number `at` of the row on.
  template <int I, class V>
  WEFT_HD_INLINE void fold(const V& x, i64 at, int present) {
    constexpr Fold f = static_cast<Fold>(View::instruction(I).aux);
    auto& running = folds.template at<dtype(View::instruction(I).a), I>();
    if constexpr (Traits::is_compensated(I))
      add_long<I, Traits::lines_turn>(running, x, at, present);
    else  // x first, whose NaN is looked for while the running one is waited for
      running = detail::combine<f>(x, running);
  }
  // The same of the greatest or the least and its column, of the columns from `column` on that are numbered
  // `begin` to `present`.
  template <int I, class V>
  WEFT_HD_INLINE void fold_best(const V& x, i64 column, int present, int begin) {
    constexpr Instruction in = View::instruction(I);
    constexpr bool max = static_cast<Fold>(in.aux) == Fold::argmax;
    constexpr DType t = dtype(in.a);
    using R = register_scalar<t>;
    using Best = detail::Best<R>;
    auto& running = folds.template at<t, I>();
    if constexpr (vector) {
      WEFT_UNROLL
      for (int j = 0; j < width; ++j) {
        const Best best = detail::BetterOf<max>{}(Best{running.lane[j], best_places[nth_sum<I>].wide[j]},
                                                  Best{x.lane[j], column + j});
        if (j >= begin && j < present)
          running.lane[j] = best.value, best_places[nth_sum<I>].wide[j] = best.index;
      }
    } else if constexpr (width == 1) {
      const Best best =
          detail::BetterOf<max>{}(Best{running, best_places[nth_sum<I>].wide[0]}, Best{x, column});
      running = best.value;
      best_places[nth_sum<I>].wide[0] = best.index;
    } else {
      using P = mask_of<V>;
      using T = lane_of<P>;
      const V best = running;
      const P place = load<P>(static_cast<const T*>(places<P>(nth_sum<I>)));
      const P at = iota<P>(0) + splat<P>(static_cast<T>(column));
      P take;
      if constexpr (max)
        take = x > best;
      else
        take = x < best;
      if constexpr (is_float(t)) take = take | ((x != x) & (best == best));
      take = take | ((x == best) & (at < place));
      if (present < width) take = take & (iota<P>(0) < splat<P>(static_cast<T>(present)));
      running = select(take, x, best);
      store(places<P>(nth_sum<I>), select(take, at, place));
    }
  }
  // What the row's sum is; every thread of the team calls.
  template <int I>
  WEFT_HD_INLINE auto finish_fold(Team& team) {
    constexpr Instruction in = View::instruction(I);
    constexpr Fold fold = static_cast<Fold>(in.aux);
    constexpr DType t = dtype(in.a);
    auto& running = folds.template at<t, I>();
    if constexpr (fold == Fold::argmax || fold == Fold::argmin) {
      using R = register_scalar<t>;
      constexpr bool max = fold == Fold::argmax;
      const auto lane = [&](int j) {
        if constexpr (vector)
          return running.lane[j];
        else if constexpr (width == 1)
          return running;
        else
          return running[j];
      };
      const auto place = [&](int j) -> i64 {
        if constexpr (in_lanes_of_host)
          return places<mask_of<value_of<Family, t>>>(nth_sum<I>)[j];
        else
          return best_places[nth_sum<I>].wide[j];
      };
      detail::Best<R> best{lane(0), place(0)};
      WEFT_UNROLL
      for (int j = 1; j < width; ++j)
        best = detail::BetterOf<max>{}(best, detail::Best<R>{lane(j), place(j)});
      return detail::best_of_team<max>(team, best).index;
    } else {
      turn_fold<I>(0);
      if constexpr (Traits::is_compensated(I)) running = long_sum<I>(running);
      return detail::across_team<fold>(team, detail::across<fold>(running));
    }
  }

  // What row `row` of the chunk makes of the columns from `column` on of a sum along the rows: x is added to
  // `running`, which they were before.
  template <int I, class V>
  WEFT_HD_INLINE V add_columns(const V& running, const V& x, i64 column, i64 row) {
    if (row % block_of_sum != 0) return running + x;
    auto* const to = long_column<I>(column);
    V sum = splat<V>(0), lost = sum;
    if (row > 0) {
      sum = load<V>(static_cast<const lane_of<V>*>(to));
      lost = load<V>(static_cast<const lane_of<V>*>(to + Traits::long_columns()));
      detail::add_compensated(sum, lost, running);
    }
    store(to, sum);
    store(to + Traits::long_columns(), lost);
    return x;
  }
  // The chunk's sum of a column.
  template <int I, class X>
  WEFT_HD_INLINE X column_sum(X running, i64 column) {
    auto* const at = long_column<I>(column);
    detail::add_compensated(at[0], at[Traits::long_columns()], running);
    return detail::compensated_sum(at[0], at[Traits::long_columns()]);
  }

  // Whether a total is kept in lanes: of elements, or of rows' numbers as a walk over those numbers would.
  template <int I>
  WEFT_HD static constexpr bool in_lanes() {
    return View::instruction(I).stage == Stage::element || Traits::is_laned_row_total(I);
  }
  template <int I>
  WEFT_HD_INLINE void start_total() {
    constexpr Instruction in = View::instruction(I);
    constexpr DType t = dtype(in.a);
    if constexpr (Traits::rows_turn) first_lane[nth_sum<I>] = 0;
    auto& running = totals.template at<t, I>();
    running =
        fill_value<value_of<Family, t>>(detail::neutral<static_cast<Fold>(in.aux2), register_scalar<t>>());
    start_long<I>();
  }
  // Adds the `present` elements from number `at` of the chunk on.
  template <int I, class V>
  WEFT_HD_INLINE void add(const V& x, i64 at, int present) {
    constexpr Instruction in = View::instruction(I);
    auto& running = totals.template at<dtype(in.a), I>();
    if constexpr (Traits::is_compensated(I))
      add_long<I, Traits::total_turns(I)>(running, x, at, present);
    else
      running = detail::combine<static_cast<Fold>(in.aux2)>(x, running);
  }
  // The same of the number of the chunk's row `row`.
  template <int I, class X>
  WEFT_HD_INLINE void add_row(X x, i64 row) {
    constexpr Instruction in = View::instruction(I);
    auto& running = totals.template at<dtype(in.a), I>();
    if constexpr (Traits::is_compensated(I))
      if (row % (block_of_sum * width) == 0) end_block<I>(running);
    auto own = running;
    detail::add_to_lane<static_cast<Fold>(in.aux2)>(own, x, static_cast<int>(row % width));
    running = own;
  }
  // The chunk's total; every thread of the team calls.
  template <int I>
  WEFT_HD_INLINE auto finish_total(Team& team) {
    constexpr Instruction in = View::instruction(I);
    constexpr Fold fold = static_cast<Fold>(in.aux2);
    constexpr DType t = dtype(in.a);
    if constexpr (Traits::rows_turn) turn_total<I>(0);
    if constexpr (Traits::is_compensated(I)) {
      auto& running = totals.template at<t, I>();
      running = long_sum<I>(running);
    }
    return detail::across_team<fold>(team, detail::across<fold>(totals.template at<t, I>()));
  }

  // A chunk's sums of columns that are one value.
  template <int I>
  WEFT_HD_INLINE auto column_total() {
    constexpr DType t = dtype(View::instruction(I).a);
    auto& running = totals.template at<t, I>();
    if constexpr (Traits::is_compensated(I))
      return long_sum<I>(running);
    else
      return running;
  }

  // Turns the lanes of the sums of section S at the begin of a line, whose first element is `at` of the row,
  // and `row_start` + `at` of the chunk; where Traits::rows_turn.
  template <int S>
  WEFT_HD_INLINE void turn_lines(i64 at, i64 row_start) {
    constexpr int begin = View::section_begin(S), end = View::section_end(S);
    turn_all<begin>(at, row_start, upto<Traits::how_many(Opcode::reduce, begin, end)>{},
                    upto<Traits::how_many(Opcode::accumulate, begin, end)>{});
  }

 private:
  template <class P>
  WEFT_HD_INLINE lane_of<P>* places(int sum) {
    if constexpr (sizeof(lane_of<P>) == sizeof(i32))
      return best_places[sum].narrow;
    else
      return best_places[sum].wide;
  }
  template <int I>
  WEFT_HD_INLINE void start_long() {
    if constexpr (Traits::is_compensated(I)) {
      using V = typename LongSum::V;
      long_sums[nth_sum<I>] = {fill_value<V>(0.0f), fill_value<V>(0.0f), 0};
    }
  }
  template <int I, class V>
  WEFT_HD_INLINE void end_block(V& running) {
    LongSum& all = long_sums[nth_sum<I>];
    detail::add_compensated(all.sum, all.lost, running);
    running = fill_value<V>(0.0f);
    all.values = 0;
  }
  // Adds x, whose first lane is element `at`. Where lines are no whole values a block may end within one.
  template <int I, bool Turns, class V>
  WEFT_HD_INLINE void add_long(V& running, const V& x, [[maybe_unused]] i64 at,
                               [[maybe_unused]] int present) {
    if constexpr (!Turns) {
      running = running + x;
      if (++long_sums[nth_sum<I>].values == block_of_sum) end_block<I>(running);
    } else {
      using M = mask_of<V>;
      constexpr int block = block_of_sum * width;
      const int left = block - static_cast<int>(at % block);
      if (present < left) {
        running = running + x;
        return;
      }
      const auto before = iota<M>(0) < splat<M>(static_cast<lane_of<M>>(left));
      running = running + select(before, x, splat<V>(0));
      end_block<I>(running);
      running = select(before, splat<V>(0), x);
    }
  }
  template <int I, class V>
  WEFT_HD_INLINE V long_sum(const V& last) {  // by value g++ would speak of its ABI
    V running = last;
    end_block<I>(running);
    return detail::compensated_sum(long_sums[nth_sum<I>].sum, long_sums[nth_sum<I>].lost);
  }
  template <int I>
  WEFT_HD_INLINE float* long_column(i64 column) {
    return long_columns + 2 * nth_sum<I> * Traits::long_columns() + column;
  }
  // So that lane 0 takes the elements whose position in what is summed is `position` modulo the width.
  template <int I, class V>
  WEFT_HD_INLINE void turn(V& running, i64 position) {
    const int lane = static_cast<int>(position % width);
    if (lane == first_lane[nth_sum<I>]) return;
    const int by = (lane - first_lane[nth_sum<I>] + width) % width;
    turn_value(running, by);
    if constexpr (Traits::is_compensated(I)) {
      turn_value(long_sums[nth_sum<I>].sum, by);
      turn_value(long_sums[nth_sum<I>].lost, by);
    }
    first_lane[nth_sum<I>] = lane;
  }
  template <class V>
  WEFT_HD_INLINE void turn_value(V& v, int by) {
    V own = v;  // else all of the body would be at an address
    detail::turn_lanes(own, by);
    v = own;
  }
  template <int I>
  WEFT_HD_INLINE void turn_fold([[maybe_unused]] i64 at) {
    constexpr Instruction in = View::instruction(I);
    constexpr DType t = dtype(in.a);
    if constexpr (Traits::lines_turn && has_order(t, static_cast<Fold>(in.aux)))
      turn<I>(folds.template at<t, I>(), at);
  }
  template <int I>
  WEFT_HD_INLINE void turn_total([[maybe_unused]] i64 at) {
    constexpr Instruction in = View::instruction(I);
    constexpr DType t = dtype(in.a);
    if constexpr (in.stage == Stage::element && Traits::total_turns(I) &&
                  has_order(t, static_cast<Fold>(in.aux2)))
      turn<I>(totals.template at<t, I>(), at);
  }
  template <int Begin, int... N, int... M>
  WEFT_HD_INLINE void turn_all([[maybe_unused]] i64 at, [[maybe_unused]] i64 row_start,
                               std::integer_sequence<int, N...>, std::integer_sequence<int, M...>) {
    (turn_fold<Traits::nth(Opcode::reduce, Begin, N)>(at), ...);
    (turn_total<Traits::nth(Opcode::accumulate, Begin, M)>(row_start + at), ...);
  }
};

}  // namespace WEFT_NAMESPACE::kernels
