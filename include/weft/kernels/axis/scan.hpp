#pragma once
// Running folds along one axis. Law: sums and products of f32 are kept in f64 and rounded where they are
// written; NaN stays once it has come; the host takes the elements of a line one after another.

#include <cmath>
#include <limits>

#include "weft/kernels/axis/args.hpp"
#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {

template <class T, Fold F>
struct ScanState {
  using type = T;
};
template <Fold F>
requires(F != Fold::max && F != Fold::min) struct ScanState<float, F> {
  using type = double;
};

template <class S, class L = std::numeric_limits<S>>
inline constexpr S most_of = L::has_infinity ? L::infinity() : L::max();
template <class S, class L = std::numeric_limits<S>>
inline constexpr S least_of = L::has_infinity ? -L::infinity() : L::lowest();

}  // namespace detail

// What a scan or a scatter_reduce of T keeps while it folds.
template <class T, Fold F>
using fold_state = typename detail::ScanState<T, F>::type;

template <Fold F, class S>
WEFT_HD_INLINE constexpr S fold_neutral() {
  return F == Fold::sum    ? S(0)
         : F == Fold::prod ? S(1)
         : F == Fold::min  ? detail::most_of<S>
                           : detail::least_of<S>;
}

// Integers wrap round.
template <Fold F, class S>
WEFT_HD_INLINE S fold(S x, S y) {
  if constexpr (F == Fold::sum || F == Fold::prod) {
    if constexpr (std::is_integral_v<S>) {
      const auto u = static_cast<u64>(x), v = static_cast<u64>(y);
      return static_cast<S>(F == Fold::sum ? u + v : u * v);
    } else {
      return F == Fold::sum ? x + y : x * y;
    }
  } else if constexpr (F == Fold::max) {
    return y > x || y != y ? y : x;  // a NaN in x stays: comparisons with it are false
  } else if constexpr (F == Fold::min) {
    return y < x || y != y ? y : x;
  } else {
    const S top = x > y || x != x ? x : y, low = x > y || x != x ? y : x;
    if (!(top - top == S(0))) return y != y ? y : top;  // an infinity or NaN
    using std::exp;
    using std::log1p;
    return top + log1p(exp(low - top));
  }
}

// `Lines` neighbouring lines from number `line` on, one element of each at a time.
template <class T, Fold F, int Lines>
inline void scan_lines(const AxisArgs& args, i64 line) {
  using S = fold_state<T, F>;
  const T* from[Lines];
  T* to[Lines];
  S state[Lines];
  const i64 first = args.flag ? args.extent - 1 : 0;
  for (int l = 0; l < Lines; ++l) {
    const i64 o = (line + l) / args.inner, k = (line + l) % args.inner;
    from[l] = static_cast<const T*>(args.a) + o * args.a_stride[0] + k * args.a_stride[2] +
              first * args.a_stride[1];
    to[l] = static_cast<T*>(args.out) + (o * args.extent + first) * args.inner + k;
    state[l] = fold_neutral<F, S>();
  }
  const i64 a_step = args.flag ? -args.a_stride[1] : args.a_stride[1];
  const i64 out_step = args.flag ? -args.inner : args.inner;
  for (i64 i = 0; i < args.extent; ++i)
    for (int l = 0; l < Lines; ++l) {
      state[l] = fold<F>(state[l], static_cast<S>(from[l][i * a_step]));
      to[l][i * out_step] = static_cast<T>(state[l]);
    }
}

inline constexpr int scan_block_lines = 8;

// Block `block` of scan_block_lines lines.
template <class T, Fold F>
inline void scan_block(const AxisArgs& args, i64 block) {
  const i64 begin = block * scan_block_lines, lines = args.outer * args.inner;
  if (begin + scan_block_lines <= lines) return scan_lines<T, F, scan_block_lines>(args, begin);
  for (i64 line = begin; line < lines; ++line) scan_lines<T, F, 1>(args, line);
}

namespace detail {

// Where elements [begin, end) of one line are, in the scan's own order.
template <class T>
struct ScanLine {
  const T* from;
  T* to;
  i64 from_step, to_step;
  WEFT_HD_INLINE ScanLine(const AxisArgs& args, i64 line) {
    const i64 o = line / args.inner, k = line % args.inner, first = args.flag ? args.extent - 1 : 0;
    from = static_cast<const T*>(args.a) + o * args.a_stride[0] + k * args.a_stride[2] +
           first * args.a_stride[1];
    to = static_cast<T*>(args.out) + (o * args.extent + first) * args.inner + k;
    from_step = args.flag ? -args.a_stride[1] : args.a_stride[1];
    to_step = args.flag ? -args.inner : args.inner;
  }
};

// What the threads before this one have, folded onto `carry`, to which the whole team's is then added.
// `totals`: one value a warp.
template <Fold F, class S, class Totals, class Team>
WEFT_HD_INLINE S fold_before(Team& team, Totals& totals, S mine, S& carry) {
  WEFT_UNROLL
  for (int d = 1; d < warp_size; d *= 2) {
    const S lower = team.shuffle_up(mine, d);
    if (team.lane() >= d) mine = fold<F>(lower, mine);
  }
  if (team.lane() == warp_size - 1) totals[team.warp()] = mine;
  S before = team.shuffle_up(mine, 1);
  if (team.lane() == 0) before = fold_neutral<F, S>();
  team.sync();
  S all = carry;
  for (int w = 0; w < team.warps(); ++w) {
    if (w == team.warp()) before = fold<F>(all, before);
    const S more = totals[w];
    all = fold<F>(all, more);
  }
  carry = all;
  team.sync();
  return before;
}

template <class T, Fold F, class Totals, class Team>
WEFT_HD_INLINE void scan_piece(Team& team, Totals& totals, const ScanLine<T>& line, i64 begin, i64 end,
                               fold_state<T, F> carry) {
  using S = fold_state<T, F>;
  constexpr int each = 4;
  for (i64 base = begin; base < end; base += i64{each} * team.size()) {
    S part[each];
    S total = fold_neutral<F, S>();
    const i64 first = base + i64{each} * team.rank();
    WEFT_UNROLL
    for (int j = 0; j < each; ++j) {
      if (first + j < end) total = fold<F>(total, static_cast<S>(line.from[(first + j) * line.from_step]));
      part[j] = total;
    }
    const S before = fold_before<F>(team, totals, total, carry);
    WEFT_UNROLL
    for (int j = 0; j < each; ++j)
      if (first + j < end) line.to[(first + j) * line.to_step] = static_cast<T>(fold<F>(before, part[j]));
  }
}

}  // namespace detail

// A GPU's lines, in pieces of args.count elements, one where they are many or short: first what each piece
// but the last folds to, into scratch (pieces, lines); then each piece, onto what those before it fold to. By
// a team each thread folds four neighbours, and warps pass their results on by shuffles: 8 bytes of shared
// memory a warp.
template <class T, Fold F, class Team>
WEFT_HD_INLINE void fold_piece(Team& team, const AxisArgs& args, i64 line, i64 piece) {
  using S = fold_state<T, F>;
  auto totals = team.template shared<S>(team.warps());
  const detail::ScanLine<T> at(args, line);
  const i64 begin = piece * args.count, end = begin + args.count;
  S carry = fold_neutral<F, S>();
  constexpr int each = 4;
  for (i64 base = begin; base < end; base += i64{each} * team.size()) {
    S total = fold_neutral<F, S>();
    const i64 first = base + i64{each} * team.rank();
    WEFT_UNROLL
    for (int j = 0; j < each; ++j)
      if (first + j < end) total = fold<F>(total, static_cast<S>(at.from[(first + j) * at.from_step]));
    detail::fold_before<F>(team, totals, total, carry);
  }
  if (team.rank() == 0) static_cast<S*>(args.scratch)[piece * args.outer * args.inner + line] = carry;
}
template <class T, Fold F, class Team>
WEFT_HD_INLINE void scan_on(Team& team, const AxisArgs& args, i64 line, i64 piece) {
  using S = fold_state<T, F>;
  auto totals = team.template shared<S>(team.warps());
  const S* const folded = static_cast<const S*>(args.scratch) + line;
  S carry = fold_neutral<F, S>();
  for (i64 base = 0; base < piece; base += team.size()) {
    const i64 p = base + team.rank();
    const S mine = p < piece ? folded[p * args.outer * args.inner] : fold_neutral<F, S>();
    detail::fold_before<F>(team, totals, mine, carry);
  }
  const i64 begin = piece * args.count, end = begin + args.count;
  detail::scan_piece<T, F>(team, totals, detail::ScanLine<T>(args, line), begin,
                           end < args.extent ? end : args.extent, carry);
}

// The same by one thread: neighbouring threads on neighbouring lines read neighbouring elements.
template <class T, Fold F>
WEFT_HD_INLINE void fold_piece_alone(const AxisArgs& args, i64 line, i64 piece) {
  using S = fold_state<T, F>;
  const detail::ScanLine<T> at(args, line);
  S state = fold_neutral<F, S>();
  for (i64 i = piece * args.count; i < (piece + 1) * args.count; ++i)
    state = fold<F>(state, static_cast<S>(at.from[i * at.from_step]));
  static_cast<S*>(args.scratch)[piece * args.outer * args.inner + line] = state;
}
template <class T, Fold F>
WEFT_HD_INLINE void scan_on_alone(const AxisArgs& args, i64 line, i64 piece) {
  using S = fold_state<T, F>;
  const detail::ScanLine<T> at(args, line);
  const S* const folded = static_cast<const S*>(args.scratch) + line;
  S state = fold_neutral<F, S>();
  for (i64 p = 0; p < piece; ++p) state = fold<F>(state, folded[p * args.outer * args.inner]);
  const i64 end = (piece + 1) * args.count < args.extent ? (piece + 1) * args.count : args.extent;
  for (i64 i = piece * args.count; i < end; ++i) {
    state = fold<F>(state, static_cast<S>(at.from[i * at.from_step]));
    at.to[i * at.to_step] = static_cast<T>(state);
  }
}

}  // namespace WEFT_NAMESPACE::kernels
