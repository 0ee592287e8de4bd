#pragma once
// The random words of the places of a tile of scores that a thread has. Law: of a place the word that
// detail::random_word gives it. A counter of the generator gives the words of four keys, so the threads of a
// warp that have those share it: each computes one of the counters that they need, and words change hands.
// Rows whose length is no multiple of four begin within a counter, and each place computes its own.

#include "weft/kernels/attention/score_body.hpp"
#include "weft/kernels/mma/atom.cuh"

namespace WEFT_NAMESPACE::kernels {

struct RandomWords {
  u32 seed[4];
  u32 stream;
  bool aligned;  // the first key of each row begins a counter; InStep: it is known to

  // Columns are keys: of two neighbouring tiles of eight, `first` being the number of the row's place in the
  // first column, those of the thread's columns 2 (lane % 4) and the next in the one, then in the other.
  template <bool InStep>
  __device__ __forceinline__ void along_columns(u32 first, u32 (&words)[4]) const {
    const MmaPlace at;
    if (!InStep && !aligned) {
      one_by_one([&](int k) { return first + static_cast<u32>(8 * (k / 2) + at.column + k % 2); }, words);
      return;
    }
    // an even lane and the next have the same four columns of each tile: the even one computes those of the
    // first tile, the odd one those of the second
    const bool odd = at.lane % 2 != 0;
    const Philox4 own = counter(first + static_cast<u32>(at.column / 4 * 4 + (odd ? 8 : 0)));
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const u32 other = __shfl_xor_sync(~0u, odd ? own.x[k] : own.x[2 + k], 1);
      words[k] = odd ? other : own.x[k];
      words[2 + k] = odd ? own.x[2 + k] : other;
    }
  }

  // Rows are keys: of two neighbouring queries, `first` and `second` being the numbers of their places in the
  // warp's first row, those of the thread's rows lane / 4 and 8 more: of the one query, of the other, then of
  // both in the later row.
  template <bool InStep>
  __device__ __forceinline__ void along_rows(u32 first, u32 second, u32 (&words)[4]) const {
    const MmaPlace at;
    if (!InStep && !aligned) {
      one_by_one([&](int k) { return (k % 2 == 0 ? first : second) + static_cast<u32>(at.row + k / 2 * 8); },
                 words);
      return;
    }
    // four lanes, 4 apart, have the same four keys: each computes the counter of one of the four words that
    // each of them needs, which they then transpose
    const int mine = at.row % 4;
    const Philox4 own =
        counter((mine % 2 == 0 ? first : second) + static_cast<u32>(at.row / 4 * 4 + mine / 2 * 8));
    u32 half[4];
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      const bool odd = mine % 2 != 0;
      const u32 other = __shfl_xor_sync(~0u, odd ? own.x[k] : own.x[k + 1], 4);
      half[k] = odd ? other : own.x[k];
      half[k + 1] = odd ? own.x[k + 1] : other;
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const bool upper = mine >= 2;
      const u32 other = __shfl_xor_sync(~0u, upper ? half[k] : half[k + 2], 8);
      words[k] = upper ? other : half[k];
      words[k + 2] = upper ? half[k + 2] : other;
    }
  }

 private:
  // In a loop, so that the code holds the generator once for what is rarely run.
  template <class Index>
  __device__ __forceinline__ void one_by_one(const Index& index, u32 (&words)[4]) const {
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      const u32 word = detail::random_word(index(k), seed, stream);
#pragma unroll
      for (int j = 0; j < 4; ++j) words[j] = j == k ? word : words[j];
    }
  }
  __device__ __forceinline__ Philox4 counter(u32 index) const {
    const u32 at[4]{index >> 2, seed[2], stream, seed[3]}, key[2]{seed[0], seed[1]};
    return philox(at, key);
  }
};

}  // namespace WEFT_NAMESPACE::kernels
