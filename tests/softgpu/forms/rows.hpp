#pragma once
// How a function of numbers becomes an instruction of a warp: a loop over 32 lanes that the compiler turns
// into vector instructions. Lanes that do not take part keep what they have.

#include <bit>
#include <type_traits>

#include "softgpu/forms/table.hpp"
#include "softgpu/warp.hpp"

namespace softgpu {

// A value as it lies in its row.
template <class T>
using Lane = std::conditional_t<(sizeof(T) <= 4), u32, u64>;

template <class T>
constexpr Width width_of = sizeof(T) <= 4 ? Width::narrow : Width::wide;

template <class T>
T value_of(Lane<T> lane) {
  if constexpr (sizeof(T) == sizeof(lane))
    return std::bit_cast<T>(lane);
  else
    return static_cast<T>(lane);
}
template <class T>
Lane<T> lane_of(T value) {
  if constexpr (sizeof(T) == sizeof(Lane<T>))
    return std::bit_cast<Lane<T>>(value);
  else
    return static_cast<Lane<T>>(static_cast<std::make_unsigned_t<T>>(value));
}

// Bit i for lane i, as wide as the lane's value, so that masks are applied by vector instructions.
template <class L>
struct LaneBits {
  alignas(64) L at[warp_size];
  constexpr LaneBits() : at{} {
    for (int i = 0; i < warp_size; ++i) at[i] = L{1} << i;
  }
};
template <class L>
inline constexpr LaneBits<L> lane_bits;

// d = f(s0, s1, ...), lane by lane.
template <class F, class D, class... S>
struct Elementwise {
  static void execute(Warp& warp, const Op& op, u32 active) {
    apply(warp, op, active, std::index_sequence_for<S...>{});
  }

 private:
  template <std::size_t... I>
  static void apply(Warp& warp, const Op& op, u32 active, std::index_sequence<I...>) {
    loop(row<Lane<D>>(warp, op.d[0]), active, row<const Lane<S>>(warp, op.s[I])...);
  }
  static void loop(Lane<D>* d, u32 active, const Lane<S>*... s) {
    if (active == full_mask) {
#pragma GCC ivdep
      for (int i = 0; i < warp_size; ++i) d[i] = lane_of<D>(F{}(value_of<S>(s[i])...));
    } else {
      const Lane<D> mask = active;
#pragma GCC ivdep
      for (int i = 0; i < warp_size; ++i) {
        const Lane<D> result = lane_of<D>(F{}(value_of<S>(s[i])...));
        d[i] = (mask & lane_bits<Lane<D>>.at[i]) != 0 ? result : d[i];
      }
    }
  }
};

template <class D, class... S, class F>
Form elementwise(Class kind, F) {
  return {&Elementwise<F, D, S...>::execute, kind, {width_of<D>}, {width_of<S>...}};
}

// p = f(a, b), a bit a lane.
template <class F, class T>
struct Comparison {
  static void execute(Warp& warp, const Op& op, u32 active) {
    const auto* a = row<const Lane<T>>(warp, op.s[0]);
    const auto* b = row<const Lane<T>>(warp, op.s[1]);
    Lane<T> bits = 0;
    for (int i = 0; i < warp_size; ++i)
      bits |= F{}(value_of<T>(a[i]), value_of<T>(b[i])) ? lane_bits<Lane<T>>.at[i] : Lane<T>{0};
    u32& p = predicate(warp, op.d[0]);
    p = (p & ~active) | (static_cast<u32>(bits) & active);
  }
};

template <class T, class F>
Form comparison(F) {
  return {&Comparison<F, T>::execute, Class::predicate, {Width::predicate}, {width_of<T>, width_of<T>}};
}

// p = f(a, b) of whole words of predicates.
template <class F>
struct PredicateLogic {
  static void execute(Warp& warp, const Op& op, u32 active) {
    const u32 b = op.s[1] == no_row ? 0 : predicate(warp, op.s[1]);
    const u32 result = F{}(predicate(warp, op.s[0]), b);
    u32& p = predicate(warp, op.d[0]);
    p = (p & ~active) | (result & active);
  }
};

}  // namespace softgpu
