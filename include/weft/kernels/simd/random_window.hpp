#pragma once
// Random words for lanes that are neighbours. Law: the word of element i is the one that philox() gives its
// counter, i / 4, whichever elements were asked for before.

#include "weft/core/philox.hpp"
#include "weft/kernels/simd/intrinsics.hpp"
#include "weft/kernels/simd/load_store.hpp"

namespace WEFT_NAMESPACE::kernels {

// The words of the elements last drawn: a counter has the words of four, so a lane that draws for itself
// draws four times what it uses. A window draws of 16 counters at once, for the next three values as well.
struct RandomWindow {
  static constexpr int size = 4 * lanes;
  alignas(64) u32 word[size];
  u64 first = u64{1} << 40;  // element of word[0]; this one is further than any

  WEFT_HD_INLINE bool holds(u32 index) const { return index - first <= static_cast<u64>(size - lanes); }

  // The words of elements index to index + 15. seed: the generator's four words, as detail::random_word
  // takes.
  WEFT_HD_INLINE Simd<u32> words(u32 index, const u32* seed, u32 stream) {
    if (!holds(index)) draw(index & ~3u, seed, stream);
    return load<Simd<u32>>(word + (index - first));
  }

 private:
  // Out of line: it is longer than most kernels, and called once in four values.
  [[gnu::noinline]] WEFT_HD void draw(u32 index, const u32* seed, u32 stream) {
    using V = Simd<u32>;
    const V element = splat<V>(index) + (iota<V>(0) << 2);  // 32 bits, as an element's number has
    const V counter[4]{element >> 2, splat<V>(seed[2]), splat<V>(stream), splat<V>(seed[3])};
    const u32 key[2]{seed[0], seed[1]};
    const PhiloxBlock<V> bits = philox(counter, key);
    u32 of_word[4][lanes];
    for (int w = 0; w < 4; ++w) store(of_word[w], bits.x[w]);
    for (int c = 0; c < lanes; ++c)
      for (int w = 0; w < 4; ++w) word[4 * c + w] = of_word[w][c];
    first = index;
  }
};

// Of a GPU's thread, which draws what it needs.
struct NoRandomWindow {};

}  // namespace WEFT_NAMESPACE::kernels
