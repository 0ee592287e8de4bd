#pragma once
// Loads, stores, conversions and reductions of values: a scalar on the GPU, a Simd on the host.
// Law: one kernel body over V gives the same numbers with V = T and V = Simd<T>; a partial access touches
// only its first n elements; a reduction adds in one fixed order, halves first.

#include "weft/kernels/simd/convert.hpp"
#include "weft/kernels/simd/simd.hpp"

namespace WEFT_NAMESPACE::kernels {

// Elements at p[0], p[1], ... as a value; conversion is that of convert. A scalar V takes p[0].
template <class V, class S>
WEFT_HD_INLINE V load(const S* p) {
  if constexpr (SimdValue<V>) {
    return convert<V>(detail::load_register(p));
  } else {
    return convert<V>(widen(*p));
  }
}

// The first n lanes (0 <= n <= 16) from p, the rest `fill`.
template <class V, class S>
WEFT_HD_INLINE V load_partial(const S* p, int n, lane_of<V> fill) {
  if constexpr (SimdValue<V>) {
    V loaded;
    if constexpr (std::is_same_v<S, float> && std::is_same_v<V, Simd<float>> && detail::has_masked_access) {
      WEFT_EACH_PART(V, loaded.part[j] = detail::load_first(p + j * V::width, n - j * V::width))
      if (to_bits(fill) == 0) return loaded;  // -0 is another number
    } else {
      S buffer[lanes] = {};
      for (int i = 0; i < n; ++i) buffer[i] = p[i];
      loaded = load<V>(buffer);
    }
    using Index = Simd<lane_of<mask_of<V>>>;
    return select(iota<Index>(0) < splat<Index>(n), loaded, splat<V>(fill));
  } else {
    return n > 0 ? load<V>(p) : fill;
  }
}

// Elements at p[0], p[stride], p[2 * stride], ...; the stride counts elements.
template <class V, class S>
WEFT_HD_INLINE V load_strided(const S* p, i64 stride) {
  if constexpr (SimdValue<V>) {
    S buffer[lanes];
    for (int i = 0; i < lanes; ++i) buffer[i] = p[i * stride];
    return load<V>(buffer);
  } else {
    return load<V>(p);
  }
}
template <class V, class S>
WEFT_HD_INLINE V load_strided_partial(const S* p, i64 stride, int n, lane_of<V> fill) {
  if constexpr (SimdValue<V>) {
    S buffer[lanes] = {};
    for (int i = 0; i < n; ++i) buffer[i] = p[i * stride];
    return load_partial<V>(buffer, n, fill);
  } else {
    return n > 0 ? load<V>(p) : fill;
  }
}

// The value's lanes to p[0], p[1], ..., converted: to nearest for floats, as a C cast for integers (after
// convert), and 0 or 1 for bool.
template <class S, class V>
WEFT_HD_INLINE void store(S* p, const V& value) {
  if constexpr (SimdValue<V>) {
    detail::store_register(p, convert<Simd<register_of<S>>>(detail::as_register<S>(value)));
  } else {
    *p = narrow<S>(convert<register_of<S>>(detail::as_register<S>(value)));
  }
}
// As store, of numbers that an S holds exactly.
template <class S, class V>
WEFT_HD_INLINE void store_exact(S* p, const V& value) {
#if !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<S, bf16> && std::is_same_v<V, Simd<float>>) {
    const Simd<i32> codes = to_bits(value) >> 16;
    WEFT_EACH_PART(Simd<i32>,
                   detail::write_part(p + j * Simd<i32>::width,
                                      __builtin_convertvector(codes.part[j], detail::NarrowPart<S>)))
    return;
  }
#endif
  store(p, value);
}
// Whether store_past can write 4-byte lanes past the caches, and does so; p is then aligned to 64 bytes. The
// writes of a thread are ordered before its later ones by finish_stores_past.
#if defined(__AVX512F__) && !defined(__CUDACC__)
inline constexpr bool stores_past_caches = true;
WEFT_INLINE void store_past(float* p, const Simd<float>& value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value.part[0], reinterpret_cast<Simd<float>::Part*>(p));
#else
  __builtin_ia32_movntps512(p, value.part[0]);
#endif
}
WEFT_INLINE void finish_stores_past() { __builtin_ia32_sfence(); }
#else
inline constexpr bool stores_past_caches = false;
WEFT_HD_INLINE void finish_stores_past() {}
#endif
template <class S, class V>
WEFT_HD_INLINE void store_partial(S* p, const V& value, int n) {
  if constexpr (std::is_same_v<S, float> && std::is_same_v<V, Simd<float>> && detail::has_masked_access) {
    WEFT_EACH_PART(V, detail::store_first(p + j * V::width, value.part[j], n - j * V::width))
  } else if constexpr (SimdValue<V>) {
    S buffer[lanes];
    store(buffer, value);
    for (int i = 0; i < n; ++i) p[i] = buffer[i];
  } else {
    if (n > 0) store(p, value);
  }
}
template <class S, class V>
WEFT_HD_INLINE void store_strided(S* p, i64 stride, const V& value) {
  if constexpr (SimdValue<V>) {
    S buffer[lanes];
    store(buffer, value);
    for (int i = 0; i < lanes; ++i) p[i * stride] = buffer[i];
  } else {
    store(p, value);
  }
}
template <class S, class V>
WEFT_HD_INLINE void store_strided_partial(S* p, i64 stride, const V& value, int n) {
  if constexpr (SimdValue<V>) {
    S buffer[lanes];
    store(buffer, value);
    for (int i = 0; i < n; ++i) p[i * stride] = buffer[i];
  } else {
    if (n > 0) store(p, value);
  }
}

// A value as it is in registers, to p and back: part by part, for a copy in smaller pieces would wait for
// them.
template <class V>
WEFT_HD_INLINE void store_value(void* p, const V& value) {
  if constexpr (SimdValue<V>) {
    char* const to = static_cast<char*>(p);
    WEFT_EACH_PART(V, __builtin_memcpy(to + j * sizeof value.part[j], &value.part[j], sizeof value.part[j]))
  } else {
    __builtin_memcpy(p, &value, sizeof value);
  }
}
template <class V>
WEFT_HD_INLINE V load_value(const void* p) {
  V value;
  if constexpr (SimdValue<V>) {
    const char* const from = static_cast<const char*>(p);
    WEFT_EACH_PART(V, __builtin_memcpy(&value.part[j], from + j * sizeof value.part[j], sizeof value.part[j]))
  } else {
    __builtin_memcpy(&value, p, sizeof value);
  }
  return value;
}

namespace detail {
// Whether a GPU orders two values in one instruction that lets NaN win. It takes +0 for the larger zero, too.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <class V>
inline constexpr bool orders_by_instruction = std::is_same_v<V, float>;
__device__ __forceinline__ float larger_or_nan(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ __forceinline__ float smaller_or_nan(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#else
template <class V>
inline constexpr bool orders_by_instruction = false;
float larger_or_nan(float a, float b);
float smaller_or_nan(float a, float b);
#endif
}  // namespace detail

// The larger and the smaller of two values; NaN if either is, as torch.maximum and torch.minimum.
template <class V>
WEFT_HD_INLINE V maximum(const V& a, const V& b) {
  if constexpr (detail::orders_by_instruction<V>) {
    return detail::larger_or_nan(a, b);
  } else if constexpr (std::is_same_v<V, Simd<float>>) {
    V r;
    WEFT_EACH_PART(V, r.part[j] = detail::greater_part(a.part[j], b.part[j]))
    return select(a != a, a, r);
  } else if constexpr (std::is_floating_point_v<lane_of<V>>) {
    return select(mask_or(a > b, a != a), a, b);
  } else {
    return select(a > b, a, b);
  }
}
template <class V>
WEFT_HD_INLINE V minimum(const V& a, const V& b) {
  if constexpr (detail::orders_by_instruction<V>) {
    return detail::smaller_or_nan(a, b);
  } else if constexpr (std::is_same_v<V, Simd<float>>) {
    V r;
    WEFT_EACH_PART(V, r.part[j] = detail::lesser_part(a.part[j], b.part[j]))
    return select(a != a, a, r);
  } else if constexpr (std::is_floating_point_v<lane_of<V>>) {
    return select(mask_or(a < b, a != a), a, b);
  } else {
    return select(a < b, a, b);
  }
}

namespace detail {
#if !defined(__CUDACC__)
// Lane i is v's lane i + From, for i < From; what the others are is left open.
template <int From, class T, std::size_t... I>
WEFT_INLINE Simd<T> lanes_from(const Simd<T>& v, std::index_sequence<I...>) {
  using V = Simd<T>;
  V r = v;
  if constexpr (From >= V::width) {
    WEFT_EACH_PART(V, r.part[j] = v.part[(j + From / V::width) % V::parts])
  } else {
    r.part[0] = __builtin_shufflevector(v.part[0], v.part[0], ((int{I} + From) % V::width)...);
  }
  return r;
}
template <int Halved, class V, class Fn>
WEFT_INLINE V reduce_to(const V& value, const Fn& fn) {
  const V folded = fn(value, lanes_from<Halved>(value, std::make_index_sequence<V::width>{}));
  if constexpr (Halved == 1)
    return folded;
  else
    return reduce_to<Halved / 2>(folded, fn);
}
#endif

// Lane i meets lane i + 8, then i + 4, ...: the same tree on every machine. In registers: what is stored in
// pieces of another size than it is loaded in waits for the pieces.
template <class V, class Fn>
WEFT_HD_INLINE lane_of<V> reduce(const V& value, const Fn& fn) {
  if constexpr (SimdValue<V>) {
#if !defined(__CUDACC__)
    return reduce_to<lanes / 2>(value, fn).part[0][0];
#else
    lane_of<V> s[lanes];
    __builtin_memcpy(s, &value, sizeof s);
    for (int halved = lanes / 2; halved > 0; halved /= 2) {
      for (int i = 0; i < halved; ++i) s[i] = fn(s[i], s[i + halved]);
    }
    return s[0];
#endif
  } else {
    return value;
  }
}
}  // namespace detail

// One number from all lanes, by a fixed tree. The maximum and minimum of lanes with a NaN is NaN.
template <class V>
WEFT_HD_INLINE lane_of<V> reduce_sum(const V& value) {
  return detail::reduce(value, [](const auto& a, const auto& b) { return wrapping_add(a, b); });
}
template <class V>
WEFT_HD_INLINE lane_of<V> reduce_prod(const V& value) {
  return detail::reduce(value, [](const auto& a, const auto& b) { return wrapping_mul(a, b); });
}
template <class V>
WEFT_HD_INLINE lane_of<V> reduce_max(const V& value) {
  return detail::reduce(value, [](const auto& a, const auto& b) { return maximum(a, b); });
}
template <class V>
WEFT_HD_INLINE lane_of<V> reduce_min(const V& value) {
  return detail::reduce(value, [](const auto& a, const auto& b) { return minimum(a, b); });
}

// Asks for p's line before it is read, on the host.
WEFT_HD_INLINE void bring_closer(const void* p) {
#if defined(__CUDACC__)
  static_cast<void>(p);
#else
  __builtin_prefetch(p, 0, 2);
#endif
}

}  // namespace WEFT_NAMESPACE::kernels
