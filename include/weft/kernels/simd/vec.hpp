#pragma once
// Vec<T, N>: neighbouring columns that one GPU thread works on, N numbers in registers. Law: arithmetic on it
// is the scalar arithmetic, lane by lane, so results do not depend on N; memory is touched in accesses of up
// to 16 bytes.

#include "weft/kernels/simd/load_store.hpp"

namespace WEFT_NAMESPACE::kernels {

template <class T, int N>
struct Vec {
  T lane[N];
};

// A GPU thread's values: N columns.
template <int N>
struct VecFamily {
  static constexpr int width = N;
  template <class T>
  using value = Vec<T, N>;
  using mask = Vec<bool, N>;
};

namespace detail {

template <class V>
inline constexpr bool is_vec = false;
template <class T, int N>
inline constexpr bool is_vec<Vec<T, N>> = true;
template <class Family>
inline constexpr bool is_vec_family = is_vec<typename Family::template value<float>>;

template <class T, int N>
struct LaneOf<Vec<T, N>> {
  using type = T;
};

// What one instruction moves: up to 16 bytes.
template <int Bytes>
struct Words;
template <>
struct Words<1> {
  u8 w;
};
template <>
struct Words<2> {
  u16 w;
};
template <>
struct Words<4> {
  u32 w;
};
template <>
struct alignas(8) Words<8> {
  u32 x, y;
};
template <>
struct alignas(16) Words<16> {
  u32 x, y, z, w;
};

template <class S, int N>
struct Stored {
  S element[N];
};

}  // namespace detail

// f of each lane. F must not depend on the lane's number.
template <class R, int N, class F, class... A>
WEFT_HD_INLINE Vec<R, N> vec_map(const F& f, const Vec<A, N>&... a) {
  Vec<R, N> r;
  WEFT_UNROLL
  for (int j = 0; j < N; ++j) r.lane[j] = f(a.lane[j]...);
  return r;
}

// The same number in every lane of V, whatever kind of value it is.
template <class V>
WEFT_HD_INLINE V fill_value(lane_of<V> x) {
  if constexpr (detail::is_vec<V>) {
    V r;
    WEFT_UNROLL
    for (auto& lane : r.lane) lane = x;
    return r;
  } else {
    return splat<V>(x);
  }
}

// N elements at p, which is aligned to the smaller of 16 bytes and all of them.
template <class V, class S, class T = lane_of<V>>
WEFT_HD_INLINE V load_vec(const S* p) {
  constexpr int n = sizeof(V::lane) / sizeof(T);
  constexpr int bytes = n * int{sizeof(S)} < 16 ? n * int{sizeof(S)} : 16;
  constexpr int per = bytes / int{sizeof(S)};
  using Part = detail::Words<bytes>;
  V r;
  WEFT_UNROLL
  for (int k = 0; k < n / per; ++k) {
    const auto part = __builtin_bit_cast(detail::Stored<S, per>, reinterpret_cast<const Part*>(p)[k]);
    WEFT_UNROLL
    for (int j = 0; j < per; ++j) r.lane[k * per + j] = load<T>(&part.element[j]);
  }
  return r;
}

// The lanes to p, which is aligned as for load_vec.
template <class S, class T, int N>
WEFT_HD_INLINE void store_vec(S* p, const Vec<T, N>& v) {
  constexpr int bytes = N * int{sizeof(S)} < 16 ? N * int{sizeof(S)} : 16;
  constexpr int per = bytes / int{sizeof(S)};
  using Part = detail::Words<bytes>;
  WEFT_UNROLL
  for (int k = 0; k < N / per; ++k) {
    detail::Stored<S, per> part;
    WEFT_UNROLL
    for (int j = 0; j < per; ++j) store(&part.element[j], v.lane[k * per + j]);
    reinterpret_cast<Part*>(p)[k] = __builtin_bit_cast(Part, part);
  }
}

}  // namespace WEFT_NAMESPACE::kernels
