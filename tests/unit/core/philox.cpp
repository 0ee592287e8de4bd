#include "weft/core/philox.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

namespace {

using namespace weft;

// Random123, tests/kat_vectors, the six lines "philox4x32 7" and "philox4x32 10": counter, key, result.
struct Vector {
  int rounds;
  u32 counter[4], key[2], expected[4];
};
constexpr u32 ones = 0xffffffffu;
constexpr Vector vectors[] = {
    {7, {0, 0, 0, 0}, {0, 0}, {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
    {7, {ones, ones, ones, ones}, {ones, ones}, {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}},
    {7,
     {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}},
    {10, {0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {10, {ones, ones, ones, ones}, {ones, ones}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {10,
     {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

constexpr Philox4 run(const Vector& v) {
  return v.rounds == 7 ? philox<7>(v.counter, v.key) : philox<10>(v.counter, v.key);
}
static_assert(run(vectors[5]).x[0] == 0xd16cfe09 && run(vectors[5]).x[3] == 0x24126ea1);

}  // namespace

TEST_CASE("philox: the published known answers") {
  for (const Vector& v : vectors) {
    const Philox4 got = run(v);
    for (int i = 0; i < 4; ++i) CHECK(got.x[i] == v.expected[i]);
  }
}

TEST_CASE("philox: the product of 16-bit halves is the wide product") {
  for (u32 a : {0u, 1u, 0xffffu, 0x10000u, 0xffffffffu, 0x12345678u, 0x80000000u, 0xfffeffffu}) {
    for (u32 m : {0xD2511F53u, 0xCD9E8D57u, 0xffffffffu, 1u, 0u}) {
      const WideProduct<u32> halves = wide_product<u32>(a, m);
      CHECK(((u64{halves.high} << 32) | halves.low) == u64{a} * m);
    }
  }
}
