#include "weft/core/small_float.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <type_traits>

// The references below (codes of edge cases, and FNV-1a hashes over words) were computed with PyTorch 2.15:
// x.to(dtype).view(uint8 or uint16) and codes.view(dtype).float().

namespace {

using namespace weft;

static_assert(std::is_trivially_copyable_v<f16> && std::is_trivially_default_constructible_v<f16>);
static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2 && sizeof(f8e4m3) == 1 && sizeof(f8e5m2) == 1);
static_assert(f16(1.0f).bits == 0x3c00 && float(f16(-2.5f)) == -2.5f);
static_assert(bf16(1.0f).bits == 0x3f80 && f8e4m3(448.0f).bits == 0x7e && f8e5m2(1e9f).bits == 0x7c);
static_assert(!std::is_convertible_v<float, f16> && std::is_convertible_v<f16, float>);

struct Edge {
  u32 from;
  u16 f16_bits, bf16_bits, e4m3_bits, e5m2_bits;
};
constexpr Edge edges[] = {
    {0x00000000u, 0x0000, 0x0000, 0x00, 0x00}, {0x80000000u, 0x8000, 0x8000, 0x80, 0x80},
    {0x3f800000u, 0x3c00, 0x3f80, 0x38, 0x3c}, {0xbf800000u, 0xbc00, 0xbf80, 0xb8, 0xbc},
    {0x3dcccccdu, 0x2e66, 0x3dcd, 0x1d, 0x2e}, {0xbdcccccdu, 0xae66, 0xbdcd, 0x9d, 0xae},
    {0x3eaaaaabu, 0x3555, 0x3eab, 0x2b, 0x35}, {0x477fe000u, 0x7bff, 0x4780, 0x7e, 0x7c},
    {0x477feffdu, 0x7bff, 0x4780, 0x7e, 0x7c}, {0x477ff000u, 0x7c00, 0x4780, 0x7e, 0x7c},
    {0xc77ff000u, 0xfc00, 0xc780, 0xfe, 0xfc}, {0x47800000u, 0x7c00, 0x4780, 0x7e, 0x7c},
    {0x33800000u, 0x0001, 0x3380, 0x00, 0x00}, {0x32fffae5u, 0x0000, 0x3300, 0x00, 0x00},
    {0x33000000u, 0x0000, 0x3300, 0x00, 0x00}, {0x33000001u, 0x0001, 0x3300, 0x00, 0x00},
    {0x387fffd5u, 0x0400, 0x3880, 0x00, 0x04}, {0x387fc000u, 0x03ff, 0x3880, 0x00, 0x04},
    {0x43dff333u, 0x5f00, 0x43e0, 0x7e, 0x5f}, {0x43e00000u, 0x5f00, 0x43e0, 0x7e, 0x5f},
    {0x43e80000u, 0x5f40, 0x43e8, 0x7e, 0x5f}, {0x43e80ccdu, 0x5f40, 0x43e8, 0x7e, 0x5f},
    {0x43eff333u, 0x5f80, 0x43f0, 0x7e, 0x5f}, {0x43f00000u, 0x5f80, 0x43f0, 0x7e, 0x60},
    {0xc61c4000u, 0xf0e2, 0xc61c, 0xfe, 0xf1}, {0x47600000u, 0x7b00, 0x4760, 0x7e, 0x7b},
    {0x476fffe6u, 0x7b80, 0x4770, 0x7e, 0x7b}, {0x47700000u, 0x7b80, 0x4770, 0x7e, 0x7c},
    {0x37800000u, 0x0100, 0x3780, 0x00, 0x01}, {0x37000000u, 0x0080, 0x3700, 0x00, 0x00},
    {0x37000006u, 0x0080, 0x3700, 0x00, 0x01}, {0x3b000000u, 0x1800, 0x3b00, 0x01, 0x18},
    {0x3a800000u, 0x1400, 0x3a80, 0x00, 0x14}, {0x3a800001u, 0x1400, 0x3a80, 0x01, 0x14},
    {0x7f7fffffu, 0x7c00, 0x7f80, 0x7e, 0x7c}, {0x000116c2u, 0x0000, 0x0001, 0x00, 0x00},
    {0x00000001u, 0x0000, 0x0000, 0x00, 0x00}, {0x7f7eff65u, 0x7c00, 0x7f7f, 0x7e, 0x7c},
    {0x7f7f7c95u, 0x7c00, 0x7f7f, 0x7e, 0x7c}, {0x7f800000u, 0x7c00, 0x7f80, 0x7e, 0x7c},
    {0xff800000u, 0xfc00, 0xff80, 0xfe, 0xfc},
};

struct Fnv {
  u64 hash = 0xcbf29ce484222325u;
  void add(u32 word) { hash = (hash ^ word) * 0x100000001b3u; }
};

template <class T>
u64 hash_of_encoding() {
  Fnv h;
  for (u32 i = 0; i < (1u << 20); ++i) {
    const float x = __builtin_bit_cast(float, i * 4097u + 13u);
    if (!std::isnan(x)) h.add(T(x).bits);
  }
  return h.hash;
}

template <class T>
u64 hash_of_decoding(int* nans) {
  Fnv h;
  *nans = 0;
  for (u32 code = 0; code < (1u << (8 * sizeof(T))); ++code) {
    const float x = T::of_bits(static_cast<typename T::Bits>(code));
    if (std::isnan(x)) {
      ++*nans;
    } else {
      h.add(__builtin_bit_cast(u32, x));
    }
  }
  return h.hash;
}

template <class T>
void check_round_trip() {
  for (u32 code = 0; code < (1u << (8 * sizeof(T))); ++code) {
    const T t = T::of_bits(static_cast<typename T::Bits>(code));
    if (!std::isnan(float(t))) REQUIRE(T(float(t)).bits == t.bits);
  }
}

}  // namespace

TEST_CASE("small_float: edge cases round as in PyTorch") {
  for (const Edge& e : edges) {
    CAPTURE(e.from);
    const float x = __builtin_bit_cast(float, e.from);
    CHECK(f16(x).bits == e.f16_bits);
    CHECK(bf16(x).bits == e.bf16_bits);
    CHECK(f8e4m3(x).bits == e.e4m3_bits);
    CHECK(f8e5m2(x).bits == e.e5m2_bits);
  }
}

TEST_CASE("small_float: a million floats over the whole range encode as in PyTorch") {
  CHECK(hash_of_encoding<f16>() == 0xbcd6e0a0e6c2f74cu);
  CHECK(hash_of_encoding<bf16>() == 0x56b097c7382f7ab5u);
  CHECK(hash_of_encoding<f8e4m3>() == 0x1aa6cd69373053e4u);
  CHECK(hash_of_encoding<f8e5m2>() == 0xee9b0a8605c1a4e1u);
}

TEST_CASE("small_float: every code decodes as in PyTorch") {
  int nans = 0;
  CHECK(hash_of_decoding<f16>(&nans) == 0xa4d3893bfed78fedu);
  CHECK(nans == 2046);
  CHECK(hash_of_decoding<bf16>(&nans) == 0x8bfd99197c04bbedu);
  CHECK(nans == 254);
  CHECK(hash_of_decoding<f8e4m3>(&nans) == 0xa5e825ec78ff0f9du);
  CHECK(nans == 2);
  CHECK(hash_of_decoding<f8e5m2>(&nans) == 0xa07b7b2e1acbd84du);
  CHECK(nans == 6);
}

TEST_CASE("small_float: every code survives the round trip through float") {
  check_round_trip<f16>();
  check_round_trip<bf16>();
  check_round_trip<f8e4m3>();
  check_round_trip<f8e5m2>();
}

TEST_CASE("small_float: NaN stays NaN, whatever its sign and payload") {
  for (u32 bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu, 0x7fffffffu}) {
    const float x = __builtin_bit_cast(float, bits);
    CHECK(std::isnan(float(f16(x))));
    CHECK(std::isnan(float(bf16(x))));
    CHECK(std::isnan(float(f8e4m3(x))));
    CHECK(std::isnan(float(f8e5m2(x))));
  }
}
