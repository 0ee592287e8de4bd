#pragma once
// What the body of a fused kernel is made of: folds over lanes and over a team, the best value of a row with
// its column, compile-time unrolling, and banks of registers.

#include <limits>
#include <utility>

#include "weft/kernels/evaluator/arithmetic.hpp"
#include "weft/kernels/simd/vec.hpp"
#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE::kernels {

namespace detail {

template <Fold fold, class V>
WEFT_HD_INLINE V combine(const V& a, const V& b) {
  if constexpr (is_vec<V>)
    return vec_map<lane_of<V>>([](auto x, auto y) { return combine<fold>(x, y); }, a, b);
  else if constexpr (fold == Fold::sum)
    return wrapping_add(a, b);
  else if constexpr (fold == Fold::prod)
    return wrapping_mul(a, b);
  else if constexpr (fold == Fold::max)
    return maximum(a, b);
  else
    return minimum(a, b);
}

// Variables, since device code may not call std::numeric_limits.
template <class T>
inline constexpr T least_value = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                      : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T greatest_value = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                         : std::numeric_limits<T>::max();

template <Fold fold, class T>
WEFT_HD constexpr T neutral() {
  if constexpr (fold == Fold::sum) {
    return T(0);
  } else if constexpr (fold == Fold::prod) {
    return T(1);
  } else {
    return fold == Fold::max ? least_value<T> : greatest_value<T>;
  }
}

}  // namespace detail

// Longer columns are summed in blocks by one thread, as are long rows.
inline constexpr int longest_column_sum = 256, block_of_sum = 32;

namespace detail {

// Adds x to `sum`, and what rounding loses of that to `lost`: D. Knuth, The Art of Computer Programming,
// volume 2, 4.2.2, theorem B.
template <class V>
WEFT_HD_INLINE void add_compensated(V& sum, V& lost, const V& x) {
  const V next = sum + x, added = next - sum;
  lost = lost + ((sum - (next - added)) + (x - added));
  sum = next;
}
// What such a sum is in the end; one that became infinite or NaN has lost NaNs.
template <class V>
WEFT_HD_INLINE V compensated_sum(const V& sum, const V& lost) {
  return select(lost == lost, sum + lost, sum);
}

template <Fold fold, class V>
WEFT_HD_INLINE lane_of<V> across(const V& v) {
  if constexpr (is_vec<V>) {
    V s = v;
    WEFT_UNROLL
    for (int halved = int{sizeof(V) / sizeof(lane_of<V>)} / 2; halved > 0; halved /= 2) {
      WEFT_UNROLL
      for (int i = 0; i < halved; ++i) s.lane[i] = combine<fold>(s.lane[i], s.lane[i + halved]);
    }
    return s.lane[0];
  } else if constexpr (fold == Fold::sum)
    return reduce_sum(v);
  else if constexpr (fold == Fold::prod)
    return reduce_prod(v);
  else if constexpr (fold == Fold::max)
    return reduce_max(v);
  else
    return reduce_min(v);
}

template <Fold fold, class Team, class T>
WEFT_HD_INLINE T across_team(Team& team, T v) {
  if constexpr (fold == Fold::sum)
    return team.sum(v);
  else if constexpr (fold == Fold::prod)
    return team.prod(v);
  else if constexpr (fold == Fold::max)
    return team.max(v);
  else
    return team.min(v);
}

// The best value of a row so far and its column; the first of equals, and NaN before everything, as PyTorch.
template <class T>
struct Best {
  T value;
  i64 index;
};
template <bool Max>
struct BetterOf {
  template <class T>
  WEFT_HD_INLINE Best<T> operator()(const Best<T>& a, const Best<T>& b) const {
    const bool nan_a = a.value != a.value, nan_b = b.value != b.value;
    const bool a_wins = Max ? a.value > b.value : a.value < b.value;
    const bool same = (nan_a && nan_b) || a.value == b.value;
    const bool take_a = same ? a.index <= b.index : nan_a || (!nan_b && a_wins);
    return {take_a ? a.value : b.value, take_a ? a.index : b.index};
  }
};

// As whole words: moving a structure with holes between threads would go through local memory.
template <class T>
struct BestWords {
  u64 bits;
  i64 index;
};
template <bool Max, class T>
struct BetterWords {
  WEFT_HD_INLINE static BestWords<T> pack(const Best<T>& b) {
    if constexpr (sizeof(T) == 8)
      return {__builtin_bit_cast(u64, b.value), b.index};
    else
      return {__builtin_bit_cast(u32, b.value), b.index};
  }
  WEFT_HD_INLINE static Best<T> unpack(const BestWords<T>& w) {
    if constexpr (sizeof(T) == 8)
      return {__builtin_bit_cast(T, w.bits), w.index};
    else
      return {__builtin_bit_cast(T, static_cast<u32>(w.bits)), w.index};
  }
  WEFT_HD_INLINE BestWords<T> operator()(const BestWords<T>& a, const BestWords<T>& b) const {
    return pack(BetterOf<Max>{}(unpack(a), unpack(b)));
  }
};
template <bool Max, class Team, class T>
WEFT_HD_INLINE Best<T> best_of_team(Team& team, const Best<T>& best) {
  using Words = BetterWords<Max, T>;
  return Words::unpack(team.all_reduce(Words::pack(best), Words{}));
}

// Whether a team is one thread.
template <class Team>
inline constexpr bool is_serial = std::is_same_v<Team, SerialTeam>;
// Of a team that shares a block with others like it: how many there are, and which this is.
template <class Team>
inline constexpr int group_count = 1;
template <class Team>
requires requires { Team::groups; }
inline constexpr int group_count<Team> = Team::groups;
template <class Team>
WEFT_HD_INLINE constexpr int group_of(const Team& team) {
  if constexpr (requires { team.group(); })
    return team.group();
  else
    return 0;
}

// Groups that share a block put their sums together, in the order of the groups. Every thread of the block
// calls.
template <Fold fold, class Team, class V>
WEFT_HD_INLINE V combine_groups(Team& team, const V& v) {
  if constexpr (requires { Team::groups; }) {
    return team.across_groups(v, [](const auto& a, const auto& b) { return combine<fold>(a, b); });
  } else {
    return v;
  }
}

// Runs f(integral_constant<int, I>) for I in [Begin, End), in blocks: compilers bound the length of a fold.
template <int Begin, int End, class F>
WEFT_HD_INLINE void unroll(F&& f) {
  constexpr int block = End - Begin < 64 ? End - Begin : 64;
  if constexpr (block > 0) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      (f(std::integral_constant<int, Begin + I>{}), ...);
    }
    (std::make_integer_sequence<int, block>{});
    unroll<Begin + block, End>(f);
  }
}

// Registers of every kind, as arrays indexed by instruction; unused ones cost nothing after optimisation.
template <class Family, int F, int D, int I, int U, int L, int M>
struct Bank {
  typename Family::template value<float> f[F];
  typename Family::template value<double> d[D];
  typename Family::template value<i32> i[I];
  typename Family::template value<u32> u[U];
  typename Family::template value<i64> l[L];
  typename Family::mask m[M];

  template <DType t, int K>
  WEFT_HD_INLINE auto& at() {
    if constexpr (kind_of(t) == Kind::f32)
      return f[K];
    else if constexpr (kind_of(t) == Kind::f64)
      return d[K];
    else if constexpr (kind_of(t) == Kind::i32)
      return i[K];
    else if constexpr (kind_of(t) == Kind::u32)
      return u[K];
    else if constexpr (kind_of(t) == Kind::i64)
      return l[K];
    else
      return m[K];
  }
};

// Four random words of each counter; `index` numbers words.
template <class U>
WEFT_HD_INLINE U random_word(const U& index, const u32* seed, u32 stream) {
  const U counter[4]{U(index >> 2), splat<U>(seed[2]), splat<U>(stream), splat<U>(seed[3])};
  const u32 key[2]{seed[0], seed[1]};
  const auto bits = philox(counter, key);
  const U word = index & splat<U>(3);
  const U zero = splat<U>(0), one = splat<U>(1), two = splat<U>(2);
  return select(word == zero, bits.x[0],
                select(word == one, bits.x[1], select(word == two, bits.x[2], bits.x[3])));
}

// The registers' values as they are stored: masks as 0 and 1.
template <DType t, class V>
WEFT_HD_INLINE auto to_memory(const V& v) {
  if constexpr (t == DType::boolean && !std::is_same_v<V, bool> && !is_vec<V>)
    return V(v & splat<V>(1));
  else
    return v;
}

// A loaded value as a register: bytes of a boolean become a mask.
template <DType t, class V, class S>
WEFT_HD_INLINE auto to_register(const V& v) {
  if constexpr (is_vec<V> && t == DType::boolean)
    return vec_map<bool>([](i32 x) { return x != 0; }, v);
  else if constexpr (t == DType::boolean)
    return cast_register<DType::boolean, DType::i32, S>(v);
  else
    return v;
}

}  // namespace detail

}  // namespace WEFT_NAMESPACE::kernels
