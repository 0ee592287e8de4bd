#include "weft/kernels/simd/load_store.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

// The reference for every Simd operation is the scalar C++ operation on each lane.

namespace {

using namespace weft;
using namespace weft::kernels;

template <class T>
Simd<T> simd_from(const T (&values)[lanes]) {
  return load<Simd<T>>(values);
}

template <class T>
u64 bits_of(T x) {
  u64 r = 0;
  std::memcpy(&r, &x, sizeof x);
  return r;
}

template <class T, class Pred>
bool every_lane(const Simd<T>& got, const Pred& expected) {
  for (int i = 0; i < lanes; ++i) {
    if (bits_of(got[i]) != bits_of(static_cast<T>(expected(i)))) {
      MESSAGE("lane " << i << ": " << +got[i] << " instead of " << +static_cast<T>(expected(i)));
      return false;
    }
  }
  return true;
}

// Values of every size and sign, different in every lane and for every seed.
template <class T>
void fill(T (&values)[lanes], u32 seed) {
  for (int i = 0; i < lanes; ++i) {
    seed = seed * 1664525u + 1013904223u;
    if constexpr (std::is_floating_point_v<T>) {
      values[i] = static_cast<T>(static_cast<i32>(seed)) / static_cast<T>(1 << (seed % 29));
    } else {
      values[i] = static_cast<T>(u64{seed} * 0x9E3779B97F4A7C15u >> (sizeof(T) == 8 ? 0 : 32));
    }
    if (values[i] == 0) values[i] = 1;
  }
}

template <class T>
void check_arithmetic() {
  using P = Simd<T>;
  static_assert(sizeof(P) == lanes * sizeof(T));
  static_assert(std::is_same_v<lane_of<P>, T> && std::is_same_v<lane_of<T>, T>);
  for (u32 seed = 1; seed < 20; ++seed) {
    T x[lanes], y[lanes];
    fill(x, seed);
    fill(y, seed + 1000);
    const P a = simd_from(x), b = simd_from(y);
    using Wide =
        std::conditional_t<std::is_integral_v<T>,
                           std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, int>>, T>;
    const auto w = [](T v) { return static_cast<Wide>(v); };
    if constexpr (!std::is_same_v<T, i32> && !std::is_same_v<T, i64>) {
      CHECK(every_lane(a + b, [&](int i) { return w(x[i]) + w(y[i]); }));
      CHECK(every_lane(a - b, [&](int i) { return w(x[i]) - w(y[i]); }));
      CHECK(every_lane(a * b, [&](int i) { return w(x[i]) * w(y[i]); }));
      CHECK(every_lane(a + T(3), [&](int i) { return x[i] + T(3); }));
      CHECK(every_lane(T(3) - a, [&](int i) { return T(3) - x[i]; }));
    } else {
      const P small_a = a >> 20, small_b = b >> 20;  // signed overflow is undefined
      CHECK(every_lane(small_a + small_b, [&](int i) { return (x[i] >> 20) + (y[i] >> 20); }));
      CHECK(every_lane(small_a - small_b, [&](int i) { return (x[i] >> 20) - (y[i] >> 20); }));
      CHECK(every_lane((a >> (sizeof(T) == 8 ? 40 : 20)) * (b >> (sizeof(T) == 8 ? 40 : 20)), [&](int i) {
        return (x[i] >> (sizeof(T) == 8 ? 40 : 20)) * (y[i] >> (sizeof(T) == 8 ? 40 : 20));
      }));
      CHECK(every_lane(-small_a, [&](int i) { return -(x[i] >> 20); }));
      CHECK(every_lane(a % b, [&](int i) { return x[i] % y[i]; }));
    }
    CHECK(every_lane(a / b, [&](int i) { return x[i] / y[i]; }));
    if constexpr (std::is_integral_v<T>) {
      CHECK(every_lane(a & b, [&](int i) { return x[i] & y[i]; }));
      CHECK(every_lane(a | b, [&](int i) { return x[i] | y[i]; }));
      CHECK(every_lane(a ^ b, [&](int i) { return x[i] ^ y[i]; }));
      CHECK(every_lane(~a, [&](int i) { return ~x[i]; }));
      CHECK(every_lane(a >> 5, [&](int i) { return x[i] >> 5; }));
      CHECK(every_lane(a << 5, [&](int i) { return x[i] << 5; }));
    }
    x[3] = y[3];
    const P c = simd_from(x);
    CHECK(every_lane(c < b, [&](int i) { return -(x[i] < y[i]); }));
    CHECK(every_lane(c <= b, [&](int i) { return -(x[i] <= y[i]); }));
    CHECK(every_lane(c > b, [&](int i) { return -(x[i] > y[i]); }));
    CHECK(every_lane(c >= b, [&](int i) { return -(x[i] >= y[i]); }));
    CHECK(every_lane(c == b, [&](int i) { return -(x[i] == y[i]); }));
    CHECK(every_lane(c != b, [&](int i) { return -(x[i] != y[i]); }));
    CHECK(every_lane(select(c < b, c, b), [&](int i) { return select(x[i] < y[i], x[i], y[i]); }));
    CHECK(every_lane(maximum(c, b), [&](int i) { return maximum(x[i], y[i]); }));
    CHECK(every_lane(minimum(c, b), [&](int i) { return minimum(x[i], y[i]); }));
    CHECK(every_lane(iota<P>(T(5)), [&](int i) { return T(5) + static_cast<T>(i); }));
    CHECK(every_lane(splat<P>(x[7]), [&](int) { return x[7]; }));
  }
}

template <class To, class From>
void check_conversion(const From (&values)[lanes]) {
  CHECK(every_lane(convert<Simd<To>>(simd_from(values)), [&](int i) { return convert<To>(values[i]); }));
}

template <class From>
void check_conversions(const From (&values)[lanes]) {
  check_conversion<float>(values);
  check_conversion<double>(values);
  check_conversion<i32>(values);
  check_conversion<i64>(values);
  check_conversion<u32>(values);
}

// Every code of S through load and store, contiguous, partial and strided, against the scalar conversion.
template <class S>
void check_storage() {
  using T = register_of<S>;
  using P = Simd<T>;
  constexpr int count = sizeof(S) == 2 ? 65536 : std::is_same_v<S, bool> ? 64 : 256;
  static S codes[count], back[count + 1], exact[count];
  for (int i = 0; i < count; ++i) {
    if constexpr (is_small_float<S>) {
      codes[i] = S::of_bits(static_cast<typename S::Bits>(i));
    } else {
      codes[i] = static_cast<S>(std::is_same_v<S, bool> ? i % 3 == 1 : i);
    }
  }
  const auto same = [](S a, S b) {
    if constexpr (is_small_float<S>) {
      return a.bits == b.bits || (std::isnan(float(a)) && std::isnan(float(b)));
    } else {
      return a == b;
    }
  };
  for (int at = 0; at < count; at += lanes) {
    const P loaded = load<P>(codes + at);
    for (int i = 0; i < lanes; ++i) {
      const T one = load<T>(codes + at + i);
      if (one == one) REQUIRE(bits_of(loaded[i]) == bits_of(one));
      if (one != one) REQUIRE(loaded[i] != loaded[i]);
    }
    store(back + at, loaded);
    store_exact(exact + at, loaded);
  }
  for (int i = 0; i < count; ++i) REQUIRE(same(codes[i], back[i]));
  for (int i = 0; i < count; ++i) REQUIRE(same(codes[i], exact[i]));

  for (int n = 0; n <= lanes; ++n) {
    for (int i = 0; i <= count; ++i) back[i] = codes[1];
    const P some = load_partial<P>(codes + 16, n, T(42));
    const P strided = load_strided_partial<P>(codes, 3, n, T(42));
    store_partial(back, some, n);
    store_strided_partial(back + 20, 2, strided, n);
    for (int i = 0; i < lanes; ++i) {
      REQUIRE(bits_of(some[i]) == bits_of(i < n ? load<T>(codes + 16 + i) : T(42)));
      REQUIRE(bits_of(strided[i]) == bits_of(i < n ? load<T>(codes + 3 * i) : T(42)));
      REQUIRE(same(back[i], i < n ? codes[16 + i] : codes[1]));
      REQUIRE(same(back[20 + 2 * i], i < n ? codes[3 * i] : codes[1]));
      REQUIRE(same(back[21 + 2 * i], codes[1]));
    }
  }
  const P strided = load_strided<P>(codes + 1, 2);
  for (int i = 0; i <= count; ++i) back[i] = codes[0];
  store_strided(back, 3, strided);
  for (int i = 0; i < lanes; ++i) {
    REQUIRE(same(back[3 * i], codes[1 + 2 * i]));
    REQUIRE(same(back[3 * i + 1], codes[0]));
  }
}

}  // namespace

TEST_CASE("load_store: operators and select are the scalar ones, lane by lane") {
  check_arithmetic<float>();
  check_arithmetic<double>();
  check_arithmetic<i32>();
  check_arithmetic<i64>();
  check_arithmetic<u32>();
}

TEST_CASE("load_store: the sign of zero survives splat and negation") {
  CHECK(std::signbit(splat<Simd<float>>(-0.0f)[9]));
  CHECK(std::signbit((-splat<Simd<float>>(0.0f))[9]));
  CHECK_FALSE(std::signbit(splat<Simd<float>>(0.0f)[9]));
}

TEST_CASE("load_store: maximum and minimum keep NaN") {
  const float nan = std::nanf("");
  for (float x : {1.0f, -INFINITY, nan}) {
    CHECK(std::isnan(maximum(x, nan)));
    CHECK(std::isnan(minimum(nan, x)));
    CHECK(std::isnan(maximum(splat<Simd<float>>(nan), splat<Simd<float>>(x))[3]));
    CHECK(std::isnan(minimum(splat<Simd<float>>(x), splat<Simd<float>>(nan))[15]));
  }
}

TEST_CASE("load_store: conversion of Simds is that of scalars, and clamps") {
  constexpr float inf = INFINITY;
  const float floats[lanes] = {0.9f,          -0.9f,         2.5f,           -2.5f,        1e9f, -1e9f,
                               3e9f,          -3e9f,         1e19f,          -1e19f,       inf,  -inf,
                               std::nanf(""), 2147483648.0f, -2147483648.0f, 4294967296.0f};
  const double doubles[lanes] = {0.9,       -0.9,         2147483647.9, -2147483648.9, 4294967295.9, -1e-300,
                                 1e300,     -1e300,       1e-300,       9.3e18,        -9.3e18,      INFINITY,
                                 -INFINITY, std::nan(""), 1.5e10,       -7.0};
  i32 ints[lanes];
  i64 longs[lanes];
  u32 words[lanes];
  fill(ints, 5);
  fill(longs, 6);
  fill(words, 7);
  check_conversions(floats);
  check_conversions(doubles);
  check_conversions(ints);
  check_conversions(longs);
  check_conversions(words);

  CHECK(convert<i32>(-2.9f) == -2);
  CHECK(convert<i32>(3e9f) == std::numeric_limits<i32>::max());
  CHECK(convert<i32>(-inf) == std::numeric_limits<i32>::min());
  CHECK(convert<i32>(std::nanf("")) == 0);
  CHECK(convert<i32>(2147483647.9) == 2147483647);
  CHECK(convert<i32>(-2147483648.9) == std::numeric_limits<i32>::min());
  CHECK(convert<u32>(-1.0f) == 0u);
  CHECK(convert<u32>(4294967296.0f) == 0xffffffffu);
  CHECK(convert<u32>(4294967040.0f) == 4294967040u);
  CHECK(convert<i64>(1e19f) == std::numeric_limits<i64>::max());
  CHECK(convert<i64>(-1e300) == std::numeric_limits<i64>::min());
}

TEST_CASE("load_store: every stored code loads and stores as its scalar conversion") {
  check_storage<f16>();
  check_storage<bf16>();
  check_storage<f8e4m3>();
  check_storage<f8e5m2>();
  check_storage<i8>();
  check_storage<u8>();
  check_storage<bool>();
  check_storage<i32>();
  check_storage<float>();
  check_storage<double>();
}

TEST_CASE("load_store: stores round to nearest even and saturate as the storage type does") {
  for (u32 i = 0; i < (1u << 20); i += lanes) {
    float x[lanes];
    for (u32 l = 0; l < lanes; ++l) x[l] = std::bit_cast<float>((i + l) * 4097u + 13u);
    f16 half[lanes];
    bf16 brain[lanes];
    f8e4m3 e4[lanes];
    f8e5m2 e5[lanes];
    const Simd<float> v = load<Simd<float>>(x);
    store(half, v);
    store(brain, v);
    store(e4, v);
    store(e5, v);
    for (int l = 0; l < lanes; ++l) {
      if (std::isnan(x[l])) continue;
      REQUIRE(half[l].bits == f16(x[l]).bits);
      REQUIRE(brain[l].bits == bf16(x[l]).bits);
      REQUIRE(e4[l].bits == f8e4m3(x[l]).bits);
      REQUIRE(e5[l].bits == f8e5m2(x[l]).bits);
    }
  }
}

TEST_CASE("load_store: bool stores whether a value is zero; a mask is true") {
  const float x[lanes] = {0, 0.5f, -0.25f, 1, -0.0f, std::nanf(""), 1e-40f, 0, 2, 3, 4, 5, 6, 7, 8, 0};
  bool got[lanes];
  store(got, load<Simd<float>>(x));
  for (int i = 0; i < lanes; ++i) CHECK(got[i] == (x[i] != 0));
  store(got, load<Simd<float>>(x) > splat<Simd<float>>(0.0f));
  for (int i = 0; i < lanes; ++i) CHECK(got[i] == (x[i] > 0));
  double d[lanes] = {};
  d[4] = 1e-300;
  store(got, load<Simd<double>>(d));
  for (int i = 0; i < lanes; ++i) CHECK(got[i] == (i == 4));
  bool one = false;
  store(&one, 0.5f);
  CHECK(one);
  store(&one, 1.0f < 0.5f);
  CHECK_FALSE(one);
}

TEST_CASE("load_store: scalar values load, store and reduce by the same calls") {
  const bf16 x[1] = {bf16(1.5f)};
  CHECK(load<float>(x) == 1.5f);
  CHECK(load_partial<float>(x, 0, 7.0f) == 7.0f);
  CHECK(load_partial<float>(x, 1, 7.0f) == 1.5f);
  CHECK(load_strided_partial<float>(x, 5, 0, 7.0f) == 7.0f);
  f8e4m3 out[1] = {};
  store(out, 1.5f);
  CHECK(float(out[0]) == 1.5f);
  store_partial(out, 3.0f, 0);
  CHECK(float(out[0]) == 1.5f);
  CHECK(reduce_sum(2.5f) == 2.5f);
  CHECK(iota<i32>(4) == 4);
  CHECK(splat<double>(2.0) == 2.0);
}

TEST_CASE("load_store: reductions use the tree that halves the lanes") {
  float x[lanes];
  fill(x, 3);
  float s[lanes], m[lanes];
  std::memcpy(s, x, sizeof s);
  std::memcpy(m, x, sizeof m);
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) {
      s[i] += s[i + half];
      m[i] *= m[i + half];
    }
  }
  const Simd<float> v = load<Simd<float>>(x);
  CHECK(reduce_sum(v) == s[0]);
  CHECK(reduce_prod(v) == m[0]);
  float high = x[0], low = x[0];
  for (float e : x) high = e > high ? e : high, low = e < low ? e : low;
  CHECK(reduce_max(v) == high);
  CHECK(reduce_min(v) == low);
  x[11] = std::nanf("");
  CHECK(std::isnan(reduce_max(load<Simd<float>>(x))));
  CHECK(std::isnan(reduce_min(load<Simd<float>>(x))));
  CHECK(reduce_sum(iota<Simd<i64>>(0)) == 120);
  CHECK(reduce_max(iota<Simd<u32>>(0xfffffff0u)) == 0xffffffffu);
}

TEST_CASE("load_store: Philox over Simds is Philox over each lane") {
  const u32 key[2] = {0x12345678u, 0x9abcdef0u};
  using P = Simd<u32>;
  const P counter[4] = {iota<P>(0xfffffff8u), splat<P>(7), iota<P>(0) * 0x10001u, splat<P>(0xffffffffu)};
  const PhiloxBlock<P> got = philox(counter, key);
  for (int i = 0; i < lanes; ++i) {
    const u32 c[4] = {counter[0][i], counter[1][i], counter[2][i], counter[3][i]};
    const Philox4 expected = philox(c, key);
    for (int w = 0; w < 4; ++w) CHECK(got.x[w][i] == expected.x[w]);
  }
}
