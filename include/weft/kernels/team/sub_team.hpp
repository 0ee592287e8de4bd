#pragma once
// Teams made from a block. SubTeam: a block split into groups that work on different rows. SpanTeam:
// several blocks that share one long row. Law: what a group computes does not depend on the other groups, and
// sums of groups are put together in the order of the groups.

#include "weft/kernels/simd/vec.hpp"
#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE::kernels {

// Threads [g * Threads, (g + 1) * Threads) of the block Base are group g; those behind the last are idle.
// Only groups of one whole warp, or of 1, 2, 4, 8 or 16 of its lanes, can reduce, since a barrier holds up
// the whole block. Sums: whether the groups put values together.
template <class Base, int Threads, int Groups, bool Sums = true>
class SubTeam : public TeamOps<SubTeam<Base, Threads, Groups, Sums>> {
 public:
  static constexpr int groups = Groups;
  static constexpr int max_warps = (Threads + warp_size - 1) / warp_size;
  static constexpr bool within_warp = Threads < warp_size && (Threads & (Threads - 1)) == 0;
  static constexpr int lanes = within_warp ? Threads : warp_size;
  static constexpr bool can_reduce =
      within_warp || (Threads % warp_size == 0 && (Groups == 1 || max_warps == 1));
  static constexpr i64 slots = Groups > 1 && Sums ? i64{Threads} * Groups : 0;

  // The slots of wide values and those of others, one behind the other, so that no bank is met twice.
  WEFT_HD_INLINE explicit SubTeam(Base& base)
      : base_(base), wide_(base.template shared<u64>(slots)), narrow_(base.template shared<u32>(slots)) {}

  WEFT_HD_INLINE int rank() const { return Groups == 1 ? base_.rank() : base_.rank() % Threads; }
  WEFT_HD_INLINE static constexpr int size() { return Threads; }
  WEFT_HD_INLINE int lane() const { return base_.lane(); }
  WEFT_HD_INLINE int warp() const { return rank() / warp_size; }
  WEFT_HD_INLINE static constexpr int warps() { return max_warps; }
  WEFT_HD_INLINE int group() const { return Groups == 1 ? 0 : base_.rank() / Threads; }
  WEFT_HD_INLINE void sync() { base_.sync(); }

  // Every group has a piece of its own.
  template <class T>
  WEFT_HD_INLINE auto shared(i64 count) {
    return base_.template shared<T>(count * Groups) + count * group();
  }
  template <class T>
  WEFT_HD_INLINE auto next_scratch() {
    static_assert(can_reduce, "groups of several warps, or of odd parts of one, cannot reduce");
    return base_.template next_scratch<T>();
  }
  template <class T>
  WEFT_HD_INLINE T shuffle_xor(const T& value, int mask) {
    static_assert(can_reduce, "groups of several warps, or of odd parts of one, cannot reduce");
    if constexpr (within_warp)
      return base_.template shuffle_xor_among<Threads>(value, mask);
    else
      return base_.shuffle_xor(value, mask);
  }
  template <class T>
  WEFT_HD_INLINE T shuffle(const T& value, int source_lane) {
    static_assert(!within_warp, "a part of a warp has no broadcast");
    return base_.shuffle(value, source_lane);
  }

  // The values of the threads with this rank, put together by op; the result is group 0's. Every thread of
  // the block calls it.
  template <class V, class Op>
  WEFT_HD_INLINE V across_groups(const V& v, const Op& op) {
    if constexpr (Groups == 1) {
      return v;
    } else if constexpr (detail::is_vec<V>) {
      V r;
      WEFT_UNROLL
      for (int j = 0; j < int{sizeof(V) / sizeof(lane_of<V>)}; ++j) r.lane[j] = across_groups(v.lane[j], op);
      return r;
    } else {
      using Bits = std::conditional_t<sizeof(V) == 8, u64, u32>;
      static_assert(sizeof(V) == sizeof(Bits));
      base_.sync();  // the slots' earlier readers
      put(__builtin_bit_cast(Bits, v));
      base_.sync();
      V r = v;
      if (group() == 0) {
        for (int g = 1; g < Groups; ++g) {
          Bits bits;
          get(bits, g * Threads + rank());
          r = op(r, __builtin_bit_cast(V, bits));
        }
      }
      return r;
    }
  }

 private:
  WEFT_HD_INLINE void put(u64 bits) { wide_[base_.rank()] = bits; }
  WEFT_HD_INLINE void put(u32 bits) { narrow_[base_.rank()] = bits; }
  WEFT_HD_INLINE void get(u64& bits, int at) { bits = wide_[at]; }
  WEFT_HD_INLINE void get(u32& bits, int at) { bits = narrow_[at]; }

  Base& base_;
  decltype(std::declval<Base&>().template shared<u64>(1)) wide_;
  decltype(std::declval<Base&>().template shared<u32>(1)) narrow_;
};

// Part `part` of `Parts` blocks that walk one row together. They cannot meet, so nothing may be reduced.
template <class Base, int Threads, int Parts>
class SpanTeam {
 public:
  WEFT_HD_INLINE SpanTeam(Base& base, int part) : base_(base), first_(part * Threads) {}
  WEFT_HD_INLINE int rank() const { return first_ + base_.rank(); }
  WEFT_HD_INLINE static constexpr int size() { return Threads * Parts; }
  template <class T>
  WEFT_HD_INLINE auto shared(i64 count) {
    return base_.template shared<T>(count);
  }

 private:
  Base& base_;
  int first_;
};

}  // namespace WEFT_NAMESPACE::kernels
