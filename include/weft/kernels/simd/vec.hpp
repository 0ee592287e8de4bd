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

// The same for rows of any length: their values begin where memory is aligned, so that the first and the last
// of a row hold fewer columns (Shifted); and what several passes read is staged in shared memory (Staged).
template <int N, bool Shifted, bool Staged>
struct RowFamily : VecFamily<N> {
  static constexpr bool shifted = Shifted, staged = Staged;
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

// Whether a GPU converts elements two at a time to and from lanes.
template <class S, class T>
inline constexpr bool in_pairs = false;
template <class S>
struct PairCode;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <class Format>
inline constexpr bool in_pairs<SmallFloat<Format, u16>, float> = ::weft::detail::gpu_converts<Format>;
template <class Format>
struct PairCode<SmallFloat<Format, u16>> {
  __device__ __forceinline__ static u32 pack(float low, float high) {
    return ::weft::detail::encode_pair_on_gpu<Format>(low, high);
  }
  __device__ __forceinline__ static void unpack(u32 pair, float* lane) {
    if constexpr (std::is_same_v<Format, BfloatFormat>) {
      lane[0] = from_bits(static_cast<i32>(pair << 16));
      lane[1] = from_bits(static_cast<i32>(pair & 0xffff0000u));
    } else {
      lane[0] = ::weft::detail::decode_half_on_gpu(static_cast<u16>(pair));
      lane[1] = ::weft::detail::decode_half_on_gpu(static_cast<u16>(pair >> 16));
    }
  }
};
#endif

template <class S, int N, class Part, class T>
WEFT_HD_INLINE void unpack(const Part& part, T* lane) {
  if constexpr (in_pairs<S, T> && N % 2 == 0) {
    const auto pairs = __builtin_bit_cast(Stored<u32, N / 2>, part);
    WEFT_UNROLL
    for (int j = 0; j < N / 2; ++j) PairCode<S>::unpack(pairs.element[j], lane + 2 * j);
  } else {
    const auto elements = __builtin_bit_cast(Stored<S, N>, part);
    WEFT_UNROLL
    for (int j = 0; j < N; ++j) lane[j] = load<T>(&elements.element[j]);
  }
}
template <class S, int N, class Part, class T>
WEFT_HD_INLINE Part pack(const T* lane) {
  if constexpr (in_pairs<S, T> && N % 2 == 0) {
    Stored<u32, N / 2> pairs;
    WEFT_UNROLL
    for (int j = 0; j < N / 2; ++j) pairs.element[j] = PairCode<S>::pack(lane[2 * j], lane[2 * j + 1]);
    return __builtin_bit_cast(Part, pairs);
  } else {
    Stored<S, N> elements;
    WEFT_UNROLL
    for (int j = 0; j < N; ++j) store(&elements.element[j], lane[j]);
    return __builtin_bit_cast(Part, elements);
  }
}

template <class Part>
WEFT_HD_INLINE void store_part(Part* p, const Part& part) {
  *p = part;
}
#ifdef __CUDA_ARCH__
// As one instruction: where another path stores lane by lane, nvcc 13.0 takes a structure apart here too.
__device__ __forceinline__ void store_part(Words<16>* p, const Words<16>& part) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(part.x),
               "r"(part.y), "r"(part.z), "r"(part.w)
               : "memory");
}
__device__ __forceinline__ void store_part(Words<8>* p, const Words<8>& part) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), "r"(part.x), "r"(part.y)
               : "memory");
}
#endif

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
    detail::unpack<S, per>(reinterpret_cast<const Part*>(p)[k], r.lane + k * per);
  }
  return r;
}

// The lanes to p, which is aligned as for load_vec and, on a GPU, in global memory.
template <class S, class T, int N>
WEFT_HD_INLINE void store_vec(S* p, const Vec<T, N>& v) {
  constexpr int bytes = N * int{sizeof(S)} < 16 ? N * int{sizeof(S)} : 16;
  constexpr int per = bytes / int{sizeof(S)};
  using Part = detail::Words<bytes>;
  WEFT_UNROLL
  for (int k = 0; k < N / per; ++k) {
    detail::store_part(reinterpret_cast<Part*>(p) + k, detail::pack<S, per, Part>(v.lane + k * per));
  }
}

}  // namespace WEFT_NAMESPACE::kernels
