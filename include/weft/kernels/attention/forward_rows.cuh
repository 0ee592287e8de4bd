#pragma once
// What a thread of attention's forward pass on a GPU does with the scores of its rows: they become weights
// relative to the largest of their row so far. Law: the order of every sum depends on the extents alone.
//
// (Dao: FlashAttention-2, 2023.)

#include "weft/kernels/attention/cuda_tiles.cuh"

namespace WEFT_NAMESPACE::kernels {

template <class C, int Keys, int ValueWidth>
struct AttentionForwardRows : CudaAttention<C> {
  using Base = CudaAttention<C>;
  using Base::call;
  using Base::header;
  using Base::infinite;
  using Base::streams;
  using typename Base::Body;
  using typename Base::View;
  using At = AttentionPointers;
  static constexpr int keys = Keys;

  // Two rows of a tile of 16, of which a thread has columns: their largest scores and the sums of their
  // weights so far.
  struct RowPair {
    Body body[2];
    float top[2], total[2];
  };
  template <int>  // an expansion of (void(M), ...) ends nvcc 13.0
  __device__ __forceinline__ RowPair begin_pair() const {
    return {{Base::body(), Base::body()}, {-infinite, -infinite}, {}};
  }

  // The random words of the keys from j on, by row and stream.
  template <bool InStep>
  __device__ __forceinline__ void draw(const Body (&body)[2], const typename Base::Randoms& randoms, int j,
                                       u32 (&words)[2][streams][4]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int k = 0; k < header.streams; ++k)
        randoms.of[k].template along_columns<InStep>(
            static_cast<u32>(body[half].row_number() * call.keys + j), words[half][k]);
  }
  // Scores become weights relative to the largest of their row so far, and so do the sums. Full: all keys are
  // there, every mask holds, and random numbers are drawn in step.
  template <bool Full>
  __device__ __forceinline__ void weigh(RowPair& rows, [[maybe_unused]] const typename Base::Randoms& randoms,
                                        int j0, int all_keys, float (&scores)[keys / 8][4],
                                        float (&sums)[ValueWidth / 8][4]) const {
    const MmaPlace at;
    Body(&body)[2] = rows.body;
    float(&top)[2] = rows.top, (&total)[2] = rows.total;
    // of a row's even columns and its odd ones, for chains half as long, where there are registers for both
    constexpr int chains = size_of(header.factors) == 2 ? 2 : 1;
    float reached[2][chains];
#pragma unroll
    for (int k = 0; k < 2 * chains; ++k) reached[k / chains][k % chains] = -infinite;
    [[maybe_unused]] u32 words[2][streams][4];  // of two tiles of eight keys
    // The body on element e of columns 8 n and on.
    const auto evaluate = [&](int n, int e, bool draws, float product) {
      const int j = j0 + 8 * n + at.column + e % 2;
      const bool there = Full || j < all_keys;
      if (draws)
#pragma unroll
        for (int k = 0; k < header.streams; ++k) body[e / 2].words[k] = words[e / 2][k][2 * (n % 2) + e % 2];
      const float s = body[e / 2].template score<Full>(there ? j : all_keys - 1, 1, product);
      return there ? s : -infinite;
    };
    constexpr bool draws_first = View::draws(header.score);
    static_assert(!header.drops || !View::takes_product(header.factor));
#pragma unroll
    for (int n = 0; n < keys / 8; ++n) {
      if constexpr (draws_first)
        if (n % 2 == 0) draw<Full>(body, randoms, j0 + 8 * n, words);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        scores[n][e] = evaluate(n, e, draws_first, scores[n][e]);
        float& most = reached[e / 2][e % chains];
        most = fmaxf(scores[n][e], most);
      }
    }
    float shift[2], before[2], sum[2][chains]{};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float largest = fmaxf(reached[half][0], reached[half][chains - 1]);
#pragma unroll
      for (int lane = 1; lane < 4; lane *= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lane));
      largest = fmaxf(largest, top[half]);
      shift[half] = Base::scaled_shift(largest == -infinite ? 0 : largest);
      before[half] = Base::weight(top[half], shift[half]);
      top[half] = largest;
    }
    // What weights are multiplied by is drawn here, of the body's other half: no thread keeps it for a tile.
#pragma unroll
    for (int n = 0; n < keys / 8; ++n) {
      if constexpr (header.drops)
        if (n % 2 == 0) draw<Full>(body, randoms, j0 + 8 * n, words);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float p = Base::weight(scores[n][e], shift[e / 2]);
        sum[e / 2][e % chains] += p;
        scores[n][e] = p;
        if constexpr (header.drops) {
          evaluate(n, e, true, 0);
          scores[n][e] *= body[e / 2].factor();
        }
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half)
      total[half] =
          total[half] * before[half] + (chains == 2 ? sum[half][0] + sum[half][chains - 1] : sum[half][0]);
    // Most tiles have no row's largest score. (Of f32 ptxas for sm_80 spills when it is asked.)
    if (size_of(header.factors) != 2 || __any_sync(~0u, before[0] != 1 || before[1] != 1)) {
#pragma unroll
      for (int n = 0; n < ValueWidth / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[n][e] *= before[e / 2];
    }
  }

  __device__ __forceinline__ void finish(u32 head, int first, int all_queries,
                                         const float (&sums)[ValueWidth / 8][4], RowPair& rows) const {
    using R = ctype<header.results[0]>;
    const MmaPlace at;
    float(&top)[2] = rows.top, (&total)[2] = rows.total;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int lane = 1; lane < 4; lane *= 2) total[half] += __shfl_xor_sync(~0u, total[half], lane);
      const int i = first + at.row + 8 * half;
      if (i >= all_queries) continue;
      const i64 row = i64{head} * all_queries + i;
      const float share = total[half] == 0 ? 1 : 1 / total[half];
      if (R* const y = Base::template pointer<R>(At::y))
        store_sums(y + row * call.value_width, static_cast<int>(call.value_width), sums, half,
                   [&](float x) { return x * share; });
      if (f32* const lse = Base::template pointer<f32>(At::lse); lse != nullptr && at.lane % 4 == 0) {
        f32* const to = lse + row + i64{head} * all_queries;  // two planes a head
        const float rest = log(total[half]), sum = top[half] + rest;
        to[0] = total[half] == 0 ? -infinite : sum;
        to[all_queries] = total[half] == 0 ? 0 : (top[half] - sum) + rest;
      }
    }
  }
};

}  // namespace WEFT_NAMESPACE::kernels
