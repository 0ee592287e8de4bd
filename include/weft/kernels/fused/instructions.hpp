#pragma once
// What a fused kernel's instructions do with the columns at hand: registers of a row and of its columns,
// folds and totals, values kept for a later pass. Law: what is computed depends on the cut into chunks and on
// the width of a value, never on which thread computes it.

#include "weft/kernels/fused/memory.hpp"
#include "weft/kernels/fused/sums.hpp"
#include "weft/kernels/simd/random_window.hpp"

namespace WEFT_NAMESPACE::kernels {

// As FusedTraits.
template <class C, class Family, class Team, class Args, int Threads>
struct FusedInstructions : FusedMemory<C, Family, Team, Args, Threads> {
  using Traits = FusedTraits<C, Family, Team, Threads>;
  using Memory = FusedMemory<C, Family, Team, Args, Threads>;
  using View = typename Traits::View;
  using Arithmetic = typename Traits::Arithmetic;
  using Sums = FusedSums<Traits, Family, Team>;
  using Holder = typename Traits::Holder;
  using Memory::active;
  using Memory::args;
  using Memory::place;
  using Traits::columns_in_row;
  using Traits::dtype;
  using Traits::earlier_load;
  using Traits::header;
  using Traits::index_is_aligned;
  using Traits::is_register_sum;
  using Traits::kept_bytes;
  using Traits::kept_value;
  using Traits::last_axis;
  using Traits::nth;
  using Traits::single;
  using Traits::vector;
  using Traits::width;

  Team& team;
  typename Traits::template BankOf<ScalarFamily, Holder::row> uniform;
  typename Traits::template BankOf<Family, Holder::element> element;
  Sums sums;
  // Window k is of the k-th random instruction. They lie outside: where a kernel's registers lie in one
  // object with an array that is read at any place, each of them is written there.
  using Window = std::conditional_t<Traits::draws_any_ahead(), RandomWindow, NoRandomWindow>;
  static constexpr int window_count =
      Traits::draws_any_ahead() ? Traits::how_many(Opcode::random, 0, Traits::count) : 1;
  Window* windows;
  bool first_row = false;
  i64 row_in_chunk = 0;
  i64 row_start = 0;  // the row's first element in row-major order, from the chunk's first
  i64 shift = 0;      // of the row's values, in columns
  decltype(std::declval<Team&>().template shared<double>(1)) kept_memory;
  decltype(std::declval<Team&>().template shared<u32>(1)) row_memory;

  WEFT_HD_INLINE FusedInstructions(Team& t, const Args& a, Window* w)
      : Memory(a),
        team(t),
        windows(w),
        kept_memory(t.template shared<double>(Traits::in_words ? 0 : kept_bytes() / 8)),
        row_memory(t.template shared<u32>(Traits::in_words ? Traits::row_bytes() / 4 : 0)) {}

  // Register i as a value of `Family` in a column, or as the row's number.
  template <int I, Stage stage>
  WEFT_HD_INLINE auto read() {
    constexpr Instruction in = View::instruction(I);
    constexpr DType t = dtype(I);
    if constexpr (in.stage == Stage::element) {
      return element.template at<t, I>();
    } else if constexpr (stage != Stage::element || width == 1) {
      return uniform.template at<t, I>();
    } else if constexpr (vector) {
      return fill_value<value_of<Family, t>>(uniform.template at<t, I>());
    } else if constexpr (t == DType::boolean) {
      return splat<value_of<Family, t>>(uniform.template at<t, I>() ? -1 : 0);
    } else {
      return splat<value_of<Family, t>>(uniform.template at<t, I>());
    }
  }

  template <int I, class V>
  WEFT_HD_INLINE void set(const V& v) {
    if constexpr (View::instruction(I).stage == Stage::element)
      element.template at<dtype(I), I>() = v;
    else
      uniform.template at<dtype(I), I>() = v;
  }

  // f of the operands, or of each of their lanes.
  template <DType t, Stage stage, class F, class... A>
  WEFT_HD_INLINE static auto lanewise(const F& f, const A&... a) {
    if constexpr (vector && stage == Stage::element)
      return vec_map<lane_of<value_of<Family, t>>>(f, a...);
    else
      return f(a...);
  }

  template <int I, int Lanes>
  WEFT_HD_INLINE void execute() {
    constexpr Instruction in = View::instruction(I);
    constexpr Stage stage = in.stage;
    constexpr DType t = dtype(I);
    using Fam = std::conditional_t<stage == Stage::element, Arithmetic, ScalarFamily>;
    [[maybe_unused]] constexpr Opcode op = in.op;
    [[maybe_unused]] constexpr DType from = dtype(in.a);
    if constexpr (in.op == Opcode::constant) {
      if constexpr (t == DType::boolean) {
        uniform.template at<t, I>() = in.imm != 0;
      } else if constexpr (is_float(t)) {
        uniform.template at<t, I>() = static_cast<register_scalar<t>>(__builtin_bit_cast(double, in.imm));
      } else {
        uniform.template at<t, I>() = static_cast<register_scalar<t>>(in.imm);
      }
    } else if constexpr (in.op == Opcode::load && single && stage == Stage::element && earlier_load(I) >= 0) {
      element.template at<t, I>() = element.template at<t, earlier_load(I)>();
    } else if constexpr (Traits::loads_once(I)) {
      return;  // load_what_rows_share() has
    } else if constexpr (in.op == Opcode::load) {
      if constexpr (stage == Stage::element && Traits::brings_next_row(I))
        bring_closer(this->template pointer<in.aux>() + place.template position<in.aux, stage>() +
                     View::stride(in.aux, header.row_axes - 1));
      if constexpr (stage == Stage::element && Traits::is_staged(in.aux))
        set<I>(load_staged<I, Lanes>());
      else
        set<I>(this->template load_operand<in.aux, stage, Lanes>(in.imm));
    } else if constexpr (in.op == Opcode::index) {
      const i64 start = place.template position<in.aux, stage>();
      if constexpr (stage == Stage::element && vector) {
        using T = register_scalar<t>;
        value_of<Family, t> v;
        WEFT_UNROLL
        for (int j = 0; j < width; ++j)
          v.lane[j] = static_cast<T>(start + j * View::stride(in.aux, last_axis));
        set<I>(v);
      } else if constexpr (stage == Stage::element && Traits::rows_of_value() > 1) {
        using T = lane_of<value_of<Family, t>>;
        T lane[width];
        WEFT_UNROLL
        for (int j = 0; j < width; ++j)
          lane[j] = static_cast<T>(start + Traits::template lane_offset<in.aux>(j));
        set<I>(load<value_of<Family, t>>(static_cast<const T*>(lane)));
      } else if constexpr (stage == Stage::element && width > 1) {
        const auto lane = iota<value_of<Family, t>>(0);
        constexpr i64 stride = View::stride(in.aux, last_axis);
        using T = lane_of<value_of<Family, t>>;
        set<I>(splat<value_of<Family, t>>(static_cast<T>(start)) +
               lane * splat<value_of<Family, t>>(static_cast<T>(stride)));
      } else {
        set<I>(static_cast<register_scalar<t>>(start));
      }
    } else if constexpr (in.op == Opcode::random) {
      const auto index = read<in.a, stage>();  // u32
      const u32* seed = static_cast<const u32*>(args.pointer[in.aux2]);
      const u32 stream = args.stream[in.aux];
      if constexpr (vector && stage == Stage::element && width % 4 == 0 && index_is_aligned(in.a)) {
        const u32 key[2]{seed[0], seed[1]};
        value_of<Family, t> v;
        WEFT_UNROLL
        for (int j = 0; j < width; j += 4) {
          const u32 counter[4]{(index.lane[0] + static_cast<u32>(j)) >> 2, seed[2], stream, seed[3]};
          const auto bits = philox(counter, key);
          WEFT_UNROLL
          for (int word = 0; word < 4; ++word) v.lane[j + word] = bits.x[word];
        }
        set<I>(v);
      } else if constexpr (Traits::draws_ahead(I)) {
        set<I>(windows[Traits::how_many(Opcode::random, 0, I)].words(index[0], seed, stream));
      } else {
        set<I>(
            lanewise<t, stage>([&](const auto& i) { return detail::random_word(i, seed, stream); }, index));
      }
    } else if constexpr (in.op == Opcode::reduce) {
      constexpr Fold fold = static_cast<Fold>(in.aux);
      const auto x = read<in.a, Stage::element>();
      if constexpr (fold == Fold::argmax || fold == Fold::argmin)
        sums.template fold_best<I>(x, place.linear, this->template present<Lanes>(), this->first_active);
      else
        sums.template fold<I>(this->template masked<Lanes>(x, detail::neutral<fold, register_scalar<from>>()),
                              place.linear, this->template present<Lanes>());
    } else if constexpr (in.op == Opcode::store) {
      static_assert(dtype(in.a) == View::operand(in.aux).dtype);
      const auto v = detail::to_memory<dtype(in.a)>(read<in.a, stage>());
      if constexpr (stage == Stage::element) {
        this->template store_element<in.aux, Lanes>(v);
      } else if (team.rank() == 0) {
        store(this->template pointer<in.aux>() + place.template position<in.aux, stage>(), v);
      }
    } else if constexpr (in.op == Opcode::accumulate) {
      accumulate<I, Lanes>();
    } else if constexpr (in.op == Opcode::keep && single) {
      return;  // it stays in its register
    } else if constexpr (in.op == Opcode::kept && single) {
      element.template at<t, I>() = element.template at<t, kept_value(in.aux)>();
    } else if constexpr (in.op == Opcode::keep && Traits::in_words) {
      put_row<Traits::kept_offset(in.aux)>(to_words(read<in.a, Stage::element>()));
    } else if constexpr (in.op == Opcode::kept && Traits::in_words) {
      using V = value_of<Family, t>;
      using W = decltype(to_words(V{}));
      set<I>(from_words<V>(get_row<Traits::kept_offset(in.aux), W>()));
    } else if constexpr (in.op == Opcode::keep) {
      store_value(kept_memory + slot<in.aux>() + place.linear, read<in.a, Stage::element>());
    } else if constexpr (in.op == Opcode::kept) {
      set<I>(load_value<value_of<Family, t>>(kept_memory + slot<in.aux>() + place.linear));
    } else if constexpr (in.op == Opcode::select) {
      set<I>(lanewise<t, stage>(
          []<class V>(const auto& condition, const V& x, const V& y) {
            if constexpr (std::is_same_v<V, bool>)
              return condition ? x : y;
            else
              return select(widen_mask<V>(condition), x, y);
          },
          read<in.a, stage>(), read<in.b, stage>(), read<in.c, stage>()));
    } else if constexpr (in.op == Opcode::fma) {
      set<I>(lanewise<t, stage>(
          [](const auto& x, const auto& y, const auto& z) { return multiply_add<t>(x, y, z); },
          read<in.a, stage>(), read<in.b, stage>(), read<in.c, stage>()));
    } else if constexpr (in.op < Opcode::add) {
      set<I>(
          lanewise<t, stage>([](const auto& x) { return unary<op, t, from, Fam>(x); }, read<in.a, stage>()));
    } else {
      set<I>(lanewise<t, stage>([](const auto& x, const auto& y) { return binary<op, t, from, Fam>(x, y); },
                                read<in.a, stage>(), read<in.b, stage>()));
    }
  }

  // On the host kept elements of one slot lie 8 bytes apart at least, so that any register kind fits.
  template <int Slot>
  WEFT_HD_INLINE static i64 slot() {
    return Slot * (kept_bytes() / 8 / (header.kept > 0 ? header.kept : 1));
  }

  // The number of the value at hand in its row.
  WEFT_HD_INLINE i64 value_number() const {
    if constexpr (Traits::shifted)
      return (place.linear + shift) / width;
    else
      return place.linear / width;
  }
  // V, of words of 4 bytes, of the value at hand among those that begin at byte Begin. As many words as one
  // access takes lie side by side, those of the next value behind them, so that a warp's accesses meet no
  // bank twice.
  template <class V>
  static constexpr int row_words = static_cast<int>(sizeof(V) / 4);
  template <class V>
  static constexpr int words_at_once = row_words<V> % 4 == 0   ? 4
                                       : row_words<V> % 2 == 0 ? 2
                                                               : 1;
  template <class V>
  using RowParts = detail::Stored<detail::Words<4 * words_at_once<V>>, row_words<V> / words_at_once<V>>;
  template <i64 Begin, class V>
  WEFT_HD_INLINE i64 row_word(int part) const {
    constexpr int once = words_at_once<V>;
    static_assert(Begin % (4 * once) == 0);
    return Begin / 4 + (part * Traits::values_in_row() + value_number()) * once;
  }
  template <i64 Begin, class V>
  WEFT_HD_INLINE void put_row(const V& v) {
#if defined(__CUDA_ARCH__)
    const auto parts = __builtin_bit_cast(RowParts<V>, v);
    WEFT_UNROLL
    for (int k = 0; k < row_words<V> / words_at_once<V>; ++k)
      *reinterpret_cast<detail::Words<4 * words_at_once<V>>*>(row_memory + row_word<Begin, V>(k)) =
          parts.element[k];
#else
    const auto words = __builtin_bit_cast(detail::Stored<u32, row_words<V>>, v);
    for (int k = 0; k < row_words<V>; ++k)
      row_memory[row_word<Begin, V>(k / words_at_once<V>) + k % words_at_once<V>] = words.element[k];
#endif
  }
  template <i64 Begin, class V>
  WEFT_HD_INLINE V get_row() {
#if defined(__CUDA_ARCH__)
    RowParts<V> parts;
    WEFT_UNROLL
    for (int k = 0; k < row_words<V> / words_at_once<V>; ++k)
      parts.element[k] =
          *reinterpret_cast<const detail::Words<4 * words_at_once<V>>*>(row_memory + row_word<Begin, V>(k));
    return __builtin_bit_cast(V, parts);
#else
    detail::Stored<u32, row_words<V>> words;
    for (int k = 0; k < row_words<V>; ++k)
      words.element[k] = row_memory[row_word<Begin, V>(k / words_at_once<V>) + k % words_at_once<V>];
    return __builtin_bit_cast(V, words);
#endif
  }
  // A register as words: of truth values numbers.
  template <class R>
  WEFT_HD_INLINE static auto to_words(const R& v) {
    if constexpr (sizeof(lane_of<R>) >= 4)
      return v;
    else if constexpr (detail::is_vec<R>)
      return vec_map<u32>([](auto x) { return static_cast<u32>(x); }, v);
    else
      return static_cast<u32>(v);
  }
  template <class R, class W>
  WEFT_HD_INLINE static R from_words(const W& words) {
    using T = lane_of<R>;
    if constexpr (std::is_same_v<R, W>)
      return words;
    else if constexpr (detail::is_vec<R>)
      return vec_map<T>([](auto x) { return static_cast<T>(x); }, words);
    else
      return static_cast<T>(words);
  }

  // The columns at hand of an operand that several passes read: from memory at first, then from where this
  // thread has put them, as they are stored.
  template <int I, int Lanes>
  WEFT_HD_INLINE auto load_staged() {
    constexpr int k = View::instruction(I).aux;
    constexpr DType t = View::operand(k).dtype;
    using S = ctype<t>;
    constexpr i64 at = Traits::staged_offset(k);
    constexpr int words = width * int{sizeof(S)} / 4;
    using Parts = detail::Stored<u32, words>;
    if constexpr (earlier_load(I) < 0) {
      const auto v = this->template load_operand<k, Stage::element, Lanes>(View::instruction(I).imm);
      put_row<at>(detail::pack<S, width, Parts>(v.lane));
      return v;
    } else {
      const Parts parts = get_row<at, Parts>();
      value_of<Family, t> v;
      detail::unpack<S, width>(parts, v.lane);
      return v;
    }
  }

  template <int Begin, int... N>
  WEFT_HD_INLINE void start_folds(std::integer_sequence<int, N...>) {
    (sums.template start_fold<nth(Opcode::reduce, Begin, N)>(), ...);
  }
  template <int I>
  WEFT_HD_INLINE void finish_fold() {
    uniform.template at<dtype(I), I>() = sums.template finish_fold<I>(team);
  }
  template <int Begin, int... N>
  WEFT_HD_INLINE void finish_folds(std::integer_sequence<int, N...>) {
    (finish_fold<nth(Opcode::reduce, Begin, N)>(), ...);
  }

  template <int I>
  WEFT_HD_INLINE void start_total() {
    constexpr Instruction in = View::instruction(I);
    if constexpr (is_register_sum(I)) {
      if constexpr (Sums::template in_lanes<I>())
        sums.template start_total<I>();
      else
        uniform.template at<dtype(in.a), I>() =
            detail::neutral<static_cast<Fold>(in.aux2), register_scalar<dtype(in.a)>>();
    }
  }
  template <int I, int Lanes>
  WEFT_HD_INLINE void accumulate() {
    constexpr Instruction in = View::instruction(I);
    constexpr Fold fold = static_cast<Fold>(in.aux2);
    constexpr DType t = dtype(in.a);
    if constexpr (is_register_sum(I)) {
      if constexpr (in.stage == Stage::element) {
        sums.template add<I>(this->template masked<Lanes>(read<in.a, Stage::element>(),
                                                          detail::neutral<fold, register_scalar<t>>()),
                             row_start + place.linear, this->template present<Lanes>());
      } else if constexpr (Traits::is_laned_row_total(I)) {
        sums.template add_row<I>(read<in.a, in.stage>(), row_in_chunk);
      } else {
        auto& running = uniform.template at<t, I>();
        running = detail::combine<fold>(read<in.a, in.stage>(), running);
      }
    } else {
      // This thread alone owns these columns of the chunk's partial sums.
      static_assert(detail::group_count<Team> == 1, "groups would write the same partial sums");
      using V = value_of<Family, t>;
      auto* p = this->template partial<I>() + place.linear;
      V v = read<in.a, Stage::element>();
      if constexpr (Traits::is_compensated(I)) {
        const auto add = [&](const V& running) {
          return sums.template add_columns<I>(running, v, place.linear, row_in_chunk);
        };
        if constexpr (Lanes == width) {
          store(p, add(first_row ? splat<V>(0) : load<V>(p)));
        } else {
          const int present = this->template present<Lanes>();
          store_partial(p, add(first_row ? splat<V>(0) : load_partial<V>(p, present, 0)), present);
        }
      } else if constexpr (vector) {
        if (!first_row) v = detail::combine<fold>(load_vec<V>(p), v);
        this->template store_lanes<1, Lanes>(p, v);
      } else if constexpr (Lanes == width) {
        if (!first_row) v = detail::combine<fold>(load<V>(p), v);
        store(p, v);
      } else {
        if (!first_row) v = detail::combine<fold>(load_partial<V>(p, this->template present<Lanes>(), 0), v);
        store_partial(p, v, this->template present<Lanes>());
      }
    }
  }
  // The chunk's sums of the columns that this thread has.
  template <int I>
  WEFT_HD_INLINE void store_column_total() {
    constexpr Instruction in = View::instruction(I);
    constexpr Fold fold = static_cast<Fold>(in.aux2);
    constexpr DType t = dtype(in.a);
    const auto v = detail::combine_groups<fold>(team, sums.totals.template at<t, I>());
    // the other way round clang takes `at <` for the template of ops/index/index_rule.hpp
    if (columns_in_row() > place.at && detail::group_of(team) == 0) {
      if constexpr (vector)
        this->template store_lanes<1, Traits::lanes_of_vector>(this->template partial<I>() + place.linear, v);
      else
        store(this->template partial<I>() + place.linear, v);
    }
  }
  template <int I>
  WEFT_HD_INLINE void finish_total() {
    if constexpr (is_register_sum(I)) {
      constexpr Instruction in = View::instruction(I);
      constexpr Fold fold = static_cast<Fold>(in.aux2);
      constexpr DType t = dtype(in.a);
      if constexpr (View::operand(in.aux).role == Role::accumulate_columns) {
        if constexpr (Traits::narrow) {
          const auto row = sums.template column_total<I>();
          if constexpr (Traits::last_extent() == width)
            store(this->template partial<I>(), row);
          else
            store_partial(this->template partial<I>(), row, static_cast<int>(Traits::last_extent()));
        } else {
          store_column_total<I>();
        }
      } else {
        register_scalar<t> total;
        if constexpr (Sums::template in_lanes<I>())
          total = sums.template finish_total<I>(team);
        else
          total = uniform.template at<t, I>();
        total = detail::combine_groups<fold>(team, total);
        if (team.rank() == 0 && detail::group_of(team) == 0) store(this->template partial<I>(), total);
      }
    } else if constexpr (Traits::is_compensated(I)) {
      auto* const p = this->template partial<I>();
      for (i64 c = 0; c < Traits::static_cols(); ++c)
        store(p + c, sums.template column_sum<I>(load<float>(p + c), c));
    }
  }
  template <int... N>
  WEFT_HD_INLINE void start_totals(std::integer_sequence<int, N...>) {
    (start_total<nth(Opcode::accumulate, 0, N)>(), ...);
  }
  template <int... N>
  WEFT_HD_INLINE void finish_totals(std::integer_sequence<int, N...>) {
    (finish_total<nth(Opcode::accumulate, 0, N)>(), ...);
  }

  // Instructions [Begin, End), in blocks: compilers bound the length of a fold.
  template <int Lanes, int Begin, int... I>
  WEFT_HD_INLINE void execute_block(std::integer_sequence<int, I...>) {
    (execute<Begin + I, Lanes>(), ...);
  }
  template <int Lanes, int Begin, int End>
  WEFT_HD_INLINE void execute_range() {
    constexpr int block = End - Begin < 64 ? End - Begin : 64;
    if constexpr (block > 0) {
      execute_block<Lanes, Begin>(std::make_integer_sequence<int, block>{});
      execute_range<Lanes, Begin + block, End>();
    }
  }
  template <int S, int Lanes = width>
  WEFT_HD_INLINE void section() {
    execute_range<Lanes, View::section_begin(S), View::section_end(S)>();
  }
};

}  // namespace WEFT_NAMESPACE::kernels
