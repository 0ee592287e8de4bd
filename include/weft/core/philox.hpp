#pragma once
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011).
// Law: a pure function of counter and key, the same bits on host and device and for scalars and Simds.

#include "weft/core/config.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// Four words of counter or output. W is u32, or any type with u32 arithmetic such as a Simd of them.
template <class W>
struct PhiloxBlock {
  W x[4];
};
using Philox4 = PhiloxBlock<u32>;

// The upper and lower 32 bits of a * m. The generic form multiplies 16-bit halves; a type with a widening
// multiplication overloads it.
template <class W>
struct WideProduct {
  W high;
  W low;
};
template <class W>
WEFT_HD_INLINE constexpr WideProduct<W> wide_product(const W& a, u32 m) {
  const W low_low = (a & 0xffffu) * (m & 0xffffu);
  const W high_low = (a >> 16) * (m & 0xffffu);
  const W middle = (a & 0xffffu) * (m >> 16) + (low_low >> 16) + (high_low & 0xffffu);
  return {(a >> 16) * (m >> 16) + (high_low >> 16) + (middle >> 16), a * m};
}
WEFT_HD_INLINE constexpr WideProduct<u32> wide_product(u32 a, u32 m) {
  const u64 product = u64{a} * m;
  return {static_cast<u32>(product >> 32), static_cast<u32>(product)};
}

// 128 random bits for each counter. The key is one for all lanes: two words such as the halves of a seed.
template <int Rounds = 10, class W>
WEFT_HD_INLINE constexpr PhiloxBlock<W> philox(const W (&counter)[4], const u32 (&key)[2]) {
  PhiloxBlock<W> c{{counter[0], counter[1], counter[2], counter[3]}};
  u32 key0 = key[0];
  u32 key1 = key[1];
  for (int round = 0; round < Rounds; ++round) {
    const WideProduct<W> p0 = wide_product(c.x[0], 0xD2511F53u);
    const WideProduct<W> p1 = wide_product(c.x[2], 0xCD9E8D57u);
    c = {{p1.high ^ c.x[1] ^ key0, p1.low, p0.high ^ c.x[3] ^ key1, p0.low}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

}  // namespace WEFT_NAMESPACE
