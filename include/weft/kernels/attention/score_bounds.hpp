#pragma once
// Which tiles of the grid attend to nothing: the body's instructions on intervals of queries and keys, and of
// what integers and truth values that it captures lie between in the tile, which a kernel looks up as it
// runs. Law: a tile that is skipped has a score of -infinity at every place; where the body cannot tell, it
// is computed.
//
// (Moore, Kearfott, Cloud: Introduction to Interval Analysis, 2009.)

#include <limits>
#include <utility>

#include "weft/kernels/attention/score_code.hpp"

namespace WEFT_NAMESPACE::kernels {

// The host's tiles: queries and keys of one, and how many of its queries, and of its keys at either end, are
// skipped together.
inline constexpr i64 attention_queries = 256, attention_keys = 128, attention_strip = 32;

// Places [begin, end) along each axis of the grid.
struct GridTile {
  i64 begin[4]{}, end[4]{};
};

namespace detail {

// All values that a register has in a tile; NaN may be among them only where both ends are infinite.
struct Interval {
  double low = 0, high = 0;
  WEFT_HD constexpr bool is(double x) const { return low == x && high == x; }
};

inline constexpr double no_bound = std::numeric_limits<double>::infinity();
WEFT_HD constexpr Interval anything() { return {-no_bound, no_bound}; }
WEFT_HD constexpr Interval either() { return {0, 1}; }

// Floats are rounded at each operation, and so may be a little outside of what exact arithmetic gives.
WEFT_HD constexpr Interval rounded_interval(DType t, double low, double high) {
  if (low != low || high != high) return anything();
  if (is_float(t)) {
    const auto slack = [](double x) { return (x < 0 ? -x : x) * 1e-6; };
    return low < -1e38 || high > 1e38 ? anything() : Interval{low - slack(low), high + slack(high)};
  }
  const double most = t == DType::i64   ? 9e15
                      : t == DType::u32 ? 4294967295.0
                      : t == DType::i32 ? 2147483647.0
                                        : 127;
  const double least = t == DType::u32 || t == DType::u8 ? 0 : -most;
  return low < least || high > most ? anything() : Interval{low, high};  // it may have wrapped
}
WEFT_HD constexpr Interval hull(const Interval& x, const Interval& y) {
  return {x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
}
WEFT_HD constexpr Interval product_interval(DType t, const Interval& x, const Interval& y) {
  const double p[]{x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
  double low = p[0], high = p[0];
  for (const double v : p) {
    if (v != v) return anything();
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  return rounded_interval(t, low, high);
}
WEFT_HD constexpr double whole(double x) {  // toward zero
  return x > -9e15 && x < 9e15 ? static_cast<double>(static_cast<i64>(x)) : x;
}

WEFT_HD constexpr Interval evaluate(const Instruction& in, DType from, const Interval& x, const Interval& y,
                                    const Interval& z) {
  const DType t = static_cast<DType>(in.dtype);
  const bool flags = t == DType::boolean;
  switch (in.op) {
    case Opcode::add:
      return flags ? either() : rounded_interval(t, x.low + y.low, x.high + y.high);
    case Opcode::sub:
      return flags ? either() : rounded_interval(t, x.low - y.high, x.high - y.low);
    case Opcode::mul:
      return flags ? either() : product_interval(t, x, y);
    case Opcode::div:
      if (flags || y.low <= 0 || x.low < -1e15 || x.high > 1e15) return anything();
      if (is_float(t)) return product_interval(t, x, {1 / y.high, 1 / y.low});
      return {whole(x.low < 0 ? x.low / y.low : x.low / y.high),
              whole(x.high < 0 ? x.high / y.high : x.high / y.low)};
    case Opcode::neg:
      return flags ? either() : rounded_interval(t, -x.high, -x.low);
    case Opcode::abs:
      return x.low >= 0    ? x
             : x.high <= 0 ? Interval{-x.high, -x.low}
                           : Interval{0, -x.low > x.high ? -x.low : x.high};
    case Opcode::max:
      return {x.low > y.low ? x.low : y.low, x.high > y.high ? x.high : y.high};
    case Opcode::min:
      return {x.low < y.low ? x.low : y.low, x.high < y.high ? x.high : y.high};
    case Opcode::copy:
      return x;
    case Opcode::cast:
      if (flags) return x.low > 0 || x.high < 0 ? Interval{1, 1} : x.is(0) ? Interval{0, 0} : either();
      if (from == DType::boolean) return x;
      return is_float(t) || !is_float(from) ? rounded_interval(t, x.low, x.high)
                                            : rounded_interval(t, whole(x.low), whole(x.high));
    case Opcode::eq:
    case Opcode::ne: {
      const bool apart = x.high < y.low || y.high < x.low, same = x.low == x.high && y.is(x.low);
      const double yes = in.op == Opcode::eq ? 1 : 0;
      return apart ? Interval{1 - yes, 1 - yes} : same ? Interval{yes, yes} : either();
    }
    case Opcode::lt:
      return x.high < y.low ? Interval{1, 1} : x.low >= y.high ? Interval{0, 0} : either();
    case Opcode::le:
      return x.high <= y.low ? Interval{1, 1} : x.low > y.high ? Interval{0, 0} : either();
    case Opcode::logical_not:
      return x.is(0) ? Interval{1, 1} : x.low > 0 || x.high < 0 ? Interval{0, 0} : either();
    case Opcode::bit_and:
      return !flags               ? anything()
             : x.is(0) || y.is(0) ? Interval{0, 0}
             : x.is(1) && y.is(1) ? Interval{1, 1}
                                  : either();
    case Opcode::bit_or:
      return !flags               ? anything()
             : x.is(1) || y.is(1) ? Interval{1, 1}
             : x.is(0) && y.is(0) ? Interval{0, 0}
                                  : either();
    case Opcode::bit_xor:
      return !flags || x.low != x.high || y.low != y.high ? (flags ? either() : anything())
             : x.low == y.low                             ? Interval{0, 0}
                                                          : Interval{1, 1};
    case Opcode::select:
      return x.is(1) ? y : x.is(0) ? z : hull(y, z);
    default:
      return flags ? either() : anything();
  }
}

// Instruction `in` of a body, no load, whose registers so far are `at`, of dtypes `types`.
WEFT_HD constexpr Interval evaluate_in_tile(const Instruction& in, const GridTile& tile, const Interval* at,
                                            const DType* types) {
  const DType t = static_cast<DType>(in.dtype);
  switch (in.op) {
    case Opcode::constant: {
      const double x =
          is_float(t) ? __builtin_bit_cast(double, in.imm) : static_cast<double>(static_cast<i64>(in.imm));
      return x != x ? anything() : Interval{x, x};
    }
    case Opcode::index:
      return {static_cast<double>(tile.begin[in.aux]), static_cast<double>(tile.end[in.aux] - 1)};
    case Opcode::random:
      return {0, 4294967295.0};
    default:
      return evaluate(in, types[in.a], at[in.a], at[in.b], at[in.c]);
  }
}
WEFT_HD constexpr Interval anything_of(DType t) { return t == DType::boolean ? either() : anything(); }
WEFT_HD constexpr bool may_attend(const Interval& score) { return !(score.high < -1e308); }
inline constexpr int most_bounded_instructions = 128;

// What `count` elements lie between, `stride` apart.
template <class T>
WEFT_HD constexpr Interval range_of(const T* p, i64 count, i64 stride) {
  T low = p[0], high = p[0];
  for (i64 k = 1; k < count; ++k) {
    const T x = p[k * stride];
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  return {static_cast<double>(low), static_cast<double>(high)};
}

}  // namespace detail

// What is known of captured tensors in a tile before a program runs, or without its memory: nothing.
struct UnknownLoads {
  WEFT_HD constexpr detail::Interval operator()(int, DType t, const GridTile&) const {
    return detail::anything_of(t);
  }
  template <int, DType T>
  WEFT_HD constexpr detail::Interval of(const GridTile&) const {
    return detail::anything_of(T);
  }
};

// Whether some place of a tile may have a score above -infinity. `code`: the kernel's words; `loads`: what
// captured tensors hold there.
template <class Loads = UnknownLoads>
constexpr bool tile_attends(const u64* code, const GridTile& tile, const Loads& loads = {}) {
  const AttentionHeader h = AttentionHeader::decode(code);
  constexpr int most = detail::most_bounded_instructions;
  if (h.score_end > most) return true;
  const u64* const instructions = code + AttentionHeader::words + h.captured;
  detail::Interval at[most]{};
  DType types[most]{};
  for (int i = 0; i < h.score_end; ++i) {
    const Instruction in = decode(instructions + instruction_words * i);
    types[i] = static_cast<DType>(in.dtype);
    at[i] =
        in.op == Opcode::load ? loads(in.aux, types[i], tile) : detail::evaluate_in_tile(in, tile, at, types);
  }
  return detail::may_attend(at[h.score]);
}

// Keys [from, to) of a tile, whole strips of them, outside of which no query of it attends to any.
// attends(from, to): whether some query may attend to some of these; it does to some of all n.
struct KeyRange {
  i64 from = 0, to = 0;
};
template <class Attends>
constexpr KeyRange attended_keys(i64 n, const Attends& attends) {
  KeyRange keys{0, n};
  for (i64 last = 0; keys.to > attention_strip; keys.to = last) {
    last = (keys.to - 1) / attention_strip * attention_strip;
    if (attends(last, keys.to)) break;
  }
  while (keys.to - keys.from > attention_strip && !attends(keys.from, keys.from + attention_strip))
    keys.from += attention_strip;
  return keys;
}
// The same of a tile whose code is known as the program runs; none where it does not attend at all.
constexpr KeyRange attended_keys(const u64* code, const GridTile& tile) {
  const auto attends = [&](i64 from, i64 to) {
    GridTile part = tile;
    part.begin[3] = tile.begin[3] + from;
    part.end[3] = tile.begin[3] + to;
    return tile_attends(code, part);
  };
  const i64 n = tile.end[3] - tile.begin[3];
  return attends(0, n) ? attended_keys(n, attends) : KeyRange{};
}

// Whether a mask depends on integers or truth values that the body captures: which of the tiles that
// tile_attends leaves are computed is known as the program runs.
constexpr bool masks_by_tensors(const u64* code) {
  const AttentionHeader h = AttentionHeader::decode(code);
  constexpr int most = detail::most_bounded_instructions;
  if (h.score_end > most) return false;
  const u64* const instructions = code + AttentionHeader::words + h.captured;
  bool by_tensor[most]{};
  for (int i = 0; i < h.score_end; ++i) {
    const Instruction in = decode(instructions + instruction_words * i);
    if (in.op == Opcode::load) {
      by_tensor[i] =
          in.aux < h.captured && !is_float(CapturedWord::decode(code[AttentionHeader::words + in.aux]).dtype);
    } else if (in.op != Opcode::constant && in.op != Opcode::index && in.op != Opcode::random) {
      const bool three = in.op == Opcode::select || in.op == Opcode::fma;
      by_tensor[i] = by_tensor[in.a] || ((three || in.op >= Opcode::add) && by_tensor[in.b]) ||
                     (three && by_tensor[in.c]);
    }
    if (in.op != Opcode::select || !by_tensor[in.a]) continue;
    const Instruction other = decode(instructions + instruction_words * in.c);
    if (other.op == Opcode::constant && is_float(static_cast<DType>(other.dtype)) &&
        __builtin_bit_cast(double, other.imm) < -1e308)
      return true;
  }
  return false;
}

// What is known of a tile: no place attends, every mask holds at every place, or neither.
enum class TileMask { none, full, partial };

// The same of code C, unrolled: its registers are registers.
template <class C>
struct TileBounds {
  using View = AttentionView<C>;
  static constexpr int count = View::header.score_end;

  template <class Loads = UnknownLoads>
  WEFT_HD_INLINE static TileMask mask(const GridTile& tile, const Loads& loads = {}) {
    if constexpr (count <= detail::most_bounded_instructions) {
      detail::Interval at[count > 0 ? count : 1]{};
      DType types[count > 0 ? count : 1]{};
      const bool full = run(tile, loads, at, types, std::make_integer_sequence<int, count>{});
      return !detail::may_attend(at[View::header.score]) ? TileMask::none
             : full                                      ? TileMask::full
                                                         : TileMask::partial;
    } else {
      return TileMask::partial;
    }
  }

 private:
  template <class Loads, int... I>
  WEFT_HD_INLINE static bool run(const GridTile& tile, const Loads& loads, detail::Interval* at, DType* types,
                                 std::integer_sequence<int, I...>) {
    bool full = true;
    ((full = step<I>(tile, loads, at, types) && full), ...);
    return full;
  }
  template <int I, class Loads>
  WEFT_HD_INLINE static bool step(const GridTile& tile, const Loads& loads, detail::Interval* at,
                                  DType* types) {
    constexpr Instruction in = View::instruction(I);
    constexpr DType t = static_cast<DType>(in.dtype);
    types[I] = t;
    if constexpr (in.op == Opcode::load)
      at[I] = loads.template of<in.aux, t>(tile);
    else
      at[I] = detail::evaluate_in_tile(in, tile, at, types);
    if constexpr (View::masks(I))
      return at[in.a].is(1);
    else
      return true;
  }
};

}  // namespace WEFT_NAMESPACE::kernels
