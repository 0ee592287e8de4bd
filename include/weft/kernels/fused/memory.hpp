#pragma once
// How a fused kernel reads and writes memory: operands at the place at hand, as values of as many columns as
// there are. Law: nothing outside an operand's elements is read or written, but for the rest of the 16 bytes
// in which a row ends.

#include "weft/kernels/fused/place.hpp"
#include "weft/kernels/fused/traits.hpp"

namespace WEFT_NAMESPACE::kernels {

// As FusedTraits.
template <class C, class Family, class Team, class Args, int Threads>
struct FusedMemory : FusedTraits<C, Family, Team, Threads> {
  using Traits = FusedTraits<C, Family, Team, Threads>;
  using View = typename Traits::View;
  using Traits::dtype;
  using Traits::last_axis;
  using Traits::past_operand;
  using Traits::some;
  using Traits::vector;
  using Traits::width;

  const Args& args;
  FusedPlace<C> place;
  i64 chunk = 0;
  int active = 0;            // the value's columns before this one exist, where the code does not tell
  int first_active = 0;      // and from this one on, where values are shifted
  bool past_caches = false;  // the columns at hand of past_operand() go to memory directly

  WEFT_HD_INLINE explicit FusedMemory(const Args& a) : args(a) {}

  template <int Lanes>
  WEFT_HD_INLINE bool full() const {
    if constexpr (Lanes == some && Traits::shifted)
      return first_active == 0 && active == width;
    else if constexpr (Lanes == some && vector)
      return active == width;
    else
      return Lanes == width;
  }
  template <int Lanes>
  WEFT_HD_INLINE int present() const {
    return Lanes == some ? active : Lanes;
  }

  template <int Lanes>
  WEFT_HD_INLINE bool exists(int j) const {
    if constexpr (Lanes == some && Traits::shifted)
      return j >= first_active && j < active;
    else
      return j < present<Lanes>();
  }

  template <int K>
  WEFT_HD_INLINE auto* pointer() {
    constexpr OperandWord o = View::operand(K);
    return static_cast<ctype<o.dtype>*>(args.pointer[K]);
  }
  template <int K, Stage stage, int Lanes>
  WEFT_HD_INLINE auto load_operand(u64 fill) {
    constexpr OperandWord o = View::operand(K);
    constexpr DType t = o.dtype;
    using Fam = std::conditional_t<stage == Stage::element, Family, ScalarFamily>;
    using V = typename Fam::template value<std::conditional_t<t == DType::boolean, i32, register_scalar<t>>>;
    const auto* p = pointer<K>();
    if constexpr (o.window) {
      return detail::to_register<t, V, Fam>(load_window<K, V, Lanes>(p, fill));
    } else if constexpr (stage != Stage::element) {
      return detail::to_register<t, V, Fam>(load<V>(p + place.template position<K, stage>()));
    } else if constexpr (vector) {
      constexpr i64 stride = View::stride(K, last_axis);
      p += place.template position<K, stage>();
      V v;
      if constexpr (stride == 0) {
        v = fill_value<V>(load<lane_of<V>>(p));
      } else if constexpr (stride == 1 && Traits::shifted) {
        v = load_lanes<K, Lanes, V>(p);
      } else if constexpr (stride == 1) {
        v = load_vec<V>(p);  // to its end, even past the row's: a buffer ends at a multiple of 16 bytes
      } else {
        WEFT_UNROLL
        for (int j = 0; j < width; ++j)
          v.lane[j] = load<lane_of<V>>(p + (exists<Lanes>(j) ? j : first_active) * stride);
      }
      return detail::to_register<t, V, Fam>(v);
    } else if constexpr (Traits::rows_of_value() > 1) {
      return detail::to_register<t, V, Fam>(load_rows<K, V, Lanes>(p + place.template position<K, stage>()));
    } else {
      constexpr i64 stride = View::stride(K, last_axis);
      p += place.template position<K, stage>();
      if constexpr (stride == 0) {
        return detail::to_register<t, V, Fam>(splat<V>(load<lane_of<V>>(p)));
      } else if constexpr (stride == 1 || width == 1) {
        if constexpr (Lanes == width)
          return detail::to_register<t, V, Fam>(load<V>(p));
        else
          return detail::to_register<t, V, Fam>(load_partial<V>(p, present<Lanes>(), 0));
      } else {
        if constexpr (Lanes == width)
          return detail::to_register<t, V, Fam>(load_strided<V>(p, stride));
        else
          return detail::to_register<t, V, Fam>(load_strided_partial<V>(p, stride, present<Lanes>(), 0));
      }
    }
  }

  // A row's columns from p on, which may lie before it: those that exist.
  template <int K, int Lanes, class V, class S>
  WEFT_HD_INLINE V load_lanes(const S* p) {
    if constexpr (Traits::in_phase(K))
      if (full<Lanes>()) return load_vec<V>(p);
    V v;
    WEFT_UNROLL
    for (int j = 0; j < width; ++j) v.lane[j] = exists<Lanes>(j) ? load<lane_of<V>>(p + j) : lane_of<V>(0);
    return v;
  }

  // The lanes of several rows, the first of which begins at p.
  template <int K, class V, int Lanes, class S>
  WEFT_HD_INLINE V load_rows(const S* p) {
    if constexpr (Traits::rows_follow(K)) {
      return Lanes == width ? load<V>(p) : load_partial<V>(p, present<Lanes>(), 0);
    } else {
      S buffer[width] = {};
      WEFT_UNROLL
      for (int j = 0; j < width; ++j)
        if (j < present<Lanes>()) buffer[j] = p[Traits::template lane_offset<K>(j)];
      return load<V>(static_cast<const S*>(buffer));
    }
  }

  // A window: elements outside the operand are `fill`.
  template <int K, class V, int Lanes, class S>
  WEFT_HD_INLINE V load_window(const S* p, u64 fill_bits) {
    using T = lane_of<V>;
    T fill;
    if constexpr (std::is_floating_point_v<T>)
      fill = static_cast<T>(__builtin_bit_cast(double, fill_bits));
    else
      fill = static_cast<T>(static_cast<i64>(fill_bits));
    bool inside = true;
    const i64 at = place.at, base = place.template window_start<K>(inside);
    constexpr i64 low = View::low(K, last_axis), high = View::high(K, last_axis),
                  stride = View::stride(K, last_axis);
    if constexpr (width == 1) {
      return inside && at >= low && at < high ? load<V>(p + base + (at - low) * stride) : fill;
    } else if constexpr (Traits::rows_of_value() > 1) {
      T lane[width];
      WEFT_UNROLL
      for (int j = 0; j < width; ++j) {
        constexpr i64 extent = Traits::last_extent();
        const i64 column = j % extent;
        lane[j] = inside && j < present<Lanes>() && column >= low && column < high
                      ? load<T>(p + base + Traits::template lane_offset<K>(j) - low * stride)
                      : fill;
      }
      return load<V>(static_cast<const T*>(lane));
    } else if constexpr (vector) {
      V v;
      if constexpr (stride == 1) {  // all of it inside, as of an operand that is joined to others
        const S* const from = p + base + (at - low);
        if (inside && at >= low && at + width <= high && present<Lanes>() == width &&
            reinterpret_cast<std::uintptr_t>(from) % (width * sizeof(S)) == 0)
          return load_vec<V>(from);
      }
      WEFT_UNROLL
      for (int j = 0; j < width; ++j) {
        const i64 i = at + j;
        v.lane[j] = inside && j < present<Lanes>() && i >= low && i < high
                        ? load<T>(p + base + (i - low) * stride)
                        : fill;
      }
      return v;
    } else {
      if (!inside || at >= high || at + width <= low) return splat<V>(fill);
      if constexpr (stride == 1 && Lanes == width)
        if (at >= low && at + width <= high) return load<V>(p + base + (at - low));
      T lane[width];
      for (int j = 0; j < width; ++j) {
        const i64 i = at + j;
        lane[j] = inside && j < present<Lanes>() && i >= low && i < high
                      ? load<T>(p + base + (i - low) * stride)
                      : fill;
      }
      return load<V>(static_cast<const T*>(lane));
    }
  }

  template <int K, int Lanes, class V>
  WEFT_HD_INLINE void store_element(const V& v) {
    constexpr i64 stride = View::stride(K, last_axis);
    auto* p = pointer<K>() + place.template position<K, Stage::element>();
    if constexpr (width == 1) {
      store(p, v);
    } else if constexpr (vector) {
      store_lanes<stride, Lanes, Traits::in_phase(K)>(p, v);
    } else if constexpr (Traits::rows_of_value() > 1 && !Traits::rows_follow(K)) {
      std::remove_pointer_t<decltype(p)> buffer[width];
      store(&buffer[0], v);
      WEFT_UNROLL
      for (int j = 0; j < width; ++j)
        if (j < present<Lanes>()) p[Traits::template lane_offset<K>(j)] = buffer[j];
    } else if constexpr (stride == 1) {
      if constexpr (K == past_operand()) {
        if (past_caches) {
          store_past(p, v);
          return;
        }
      }
      if constexpr (Lanes == width)
        store_exact(p, v);
      else
        store_partial(p, v, present<Lanes>());
    } else {
      if constexpr (Lanes == width)
        store_strided(p, stride, v);
      else
        store_strided_partial(p, stride, v, present<Lanes>());
    }
  }

  // The lanes in use, p being aligned for all of them if the stride is 1 and values begin where it does.
  template <i64 stride, int Lanes, bool InPhase = true, class S, class V>
  WEFT_HD_INLINE void store_lanes(S* p, const V& v) {
    if (InPhase && stride == 1 && full<Lanes>()) {
      store_vec(p, v);
      return;
    }
    WEFT_UNROLL
    for (int j = 0; j < width; ++j)
      if (exists<Lanes>(j)) store(p + j * stride, v.lane[j]);
  }

  template <int Lanes, class V>
  WEFT_HD_INLINE V masked(const V& x, lane_of<V> fill) {
    if constexpr (Lanes == width) {
      return x;
    } else if constexpr (vector) {
      V r = x;
      WEFT_UNROLL
      for (int j = 0; j < width; ++j)
        if (!exists<Lanes>(j)) r.lane[j] = fill;
      return r;
    } else {
      using M = mask_of<V>;
      using T = lane_of<M>;
      return select(iota<M>(0) < splat<M>(static_cast<T>(present<Lanes>())), x, splat<V>(fill));
    }
  }

  // Where instruction I's sums of this chunk, or of the batch of the row at hand, begin.
  template <int I>
  WEFT_HD_INLINE auto* partial() {
    constexpr int k = View::instruction(I).aux;
    if constexpr (has_batch_places<View>(k))
      return pointer<k>() + place.row_offset[k];
    else
      return reinterpret_cast<ctype<View::operand(k).dtype>*>(static_cast<char*>(args.pointer[k]) +
                                                              chunk * args.partial_bytes);
  }
};

}  // namespace WEFT_NAMESPACE::kernels
