#pragma once
// What a thread of attention's backward pass on a GPU does with the products of a tile: they become weights,
// and gradients of weights those of products. Rows of the tile stay in the block, its columns go by: queries
// by keys, or keys by queries.

#include "weft/kernels/attention/cuda_tiles.cuh"

namespace WEFT_NAMESPACE::kernels {

// Which gradients a kernel computes.
enum class AttentionGradients { of_queries, of_keys_and_values, of_keys, of_values };

// Tensors that the body reads along the axis that goes by.
template <class C, AttentionGradients Which>
constexpr int captured_along() {
  using View = AttentionView<C>;
  int n = 0;
  for (int k = 0; k < View::header.captured; ++k)
    n += View::captured(k).axes >> (Which == AttentionGradients::of_queries ? 3 : 2) & 1;
  return n;
}

template <class C, AttentionGradients Which, int Moving, int Threads>
struct AttentionBackwardRows : CudaAttention<C> {
  using Base = CudaAttention<C>;
  using Base::call;
  using Base::header;
  using Base::infinite;
  using Base::streams;
  using typename Base::Body;
  using typename Base::T;
  using At = AttentionPointers;
  static constexpr bool of_queries = Which == AttentionGradients::of_queries;
  static constexpr bool of_values =
      Which == AttentionGradients::of_values || Which == AttentionGradients::of_keys_and_values;
  static constexpr bool of_factors = Which != AttentionGradients::of_values;  // of queries or keys
  static constexpr int moving = Moving, threads = Threads;

  // What is known of `staying` rows from `first` on, by the columns from `moves` on.
  __device__ __forceinline__ TileMask mask(i64 b, i64 h, int staying, int first, int all_staying, int moves,
                                           int all_moving) const {
    const i64 end = first + staying < all_staying ? first + staying : all_staying,
              moving_end = moves + moving < all_moving ? moves + moving : all_moving;
    if constexpr (of_queries)
      return Base::tile_mask({{b, h, first, moves}, {b + 1, h + 1, end, moving_end}});
    else
      return Base::tile_mask({{b, h, moves, first}, {b + 1, h + 1, moving_end, end}});
  }
  // Log-sum-exp and delta of a query.
  struct RowNumbers {
    f32 lse, delta;
  };
  __device__ __forceinline__ const f32* row_number(bool is_delta, i64 b, i64 h, int i) const {
    const f32* const p = Base::template pointer<const f32>(is_delta ? At::delta : At::row_lse);
    return p + b * call.row_stride(is_delta, 0) + h * call.row_stride(is_delta, 1) +
           i * call.row_stride(is_delta, 2);
  }
  // Those of `moving` queries, all of the one before the other.
  __device__ __forceinline__ void load_rows(f32* to, i64 b, i64 h, int first, int all) const {
#pragma unroll
    for (int begin = 0; begin < 2 * moving; begin += threads) {
      const int k = begin + static_cast<int>(threadIdx.x);
      if (begin + threads > 2 * moving && k >= 2 * moving) break;
      const bool is_delta = k >= moving, there = first + k % moving < all;
      detail::copy_number(to + k, row_number(is_delta, b, h, there ? first + k % moving : first), there);
    }
  }

  // Products become weights, and gradients of weights those of products; zeros outside of the grid. Full: all
  // places are in it, every mask holds, and random numbers are drawn in step.
  template <bool Full, class RowOf, int Columns>
  __device__ __forceinline__ void evaluate([[maybe_unused]] const typename Base::Randoms& randoms, i64 b,
                                           i64 h, int first, int all_staying, int moves, int all_moving,
                                           const RowOf& row_of, float (&weights)[Columns][4],
                                           float (&gradients)[Columns][4]) const {
    const MmaPlace at;
    Body body = Base::body();
    [[maybe_unused]] u32 words[streams][4];  // of the four places at hand, by stream
    // A row of the grid is a row of the tile where queries stay, and a column of it where keys do.
#pragma unroll
    for (int outer = 0; outer < (of_queries ? 2 : 2 * Columns); ++outer) {
      const int i = of_queries ? first + at.row + 8 * outer : moves + 8 * (outer / 2) + at.column + outer % 2;
      const int all_queries = of_queries ? all_staying : all_moving,
                all_keys = of_queries ? all_moving : all_staying;
      const bool row_there = Full || i < all_queries;
      const int row = row_there ? i : all_queries - 1;
      body.go_to_row(b, h, row);
      if constexpr (header.streams > 0 && !of_queries)
        if (outer % 2 == 0) draw_rows<Full>(body, randoms, i, first, words);
      const RowNumbers of_row = row_of(outer);
      const f32 delta = of_row.delta,
                shift = Base::scaled_shift(of_row.lse == -infinite ? infinite : of_row.lse);
#pragma unroll
      for (int inner = 0; inner < (of_queries ? 2 * Columns : 2); ++inner) {
        const int n = of_queries ? inner / 2 : outer / 2,
                  e = of_queries ? 2 * outer + inner % 2 : outer % 2 + 2 * inner;
        const int j = of_queries ? moves + 8 * n + at.column + inner % 2 : first + at.row + 8 * inner;
        const bool key_there = Full || j < all_keys, there = row_there && key_there;
        if constexpr (header.streams > 0 && of_queries)
          if (inner % 4 == 0) draw_columns<Full>(body, randoms, moves + 8 * n, words);
#pragma unroll
        for (int k = 0; k < header.streams; ++k)
          body.words[k] = words[k][of_queries ? inner % 4 : outer % 2 + 2 * inner];
        const float s = body.template score<Full>(key_there ? j : all_keys - 1, 1, weights[n][e]);
        const float weight = Base::weight(s, shift), p = there ? weight : 0;
        float kept = p, dp = gradients[n][e];
        if constexpr (header.drops) {
          const float factor = body.factor();
          kept = p * factor;
          dp = dp * factor;
        }
        const float ds = body.template gradient<Full>(p * (dp - delta));
        weights[n][e] = kept;
        gradients[n][e] = there ? ds : 0;
      }
    }
  }

  // Of keys j and on, in the columns of two tiles.
  template <bool InStep>
  __device__ __forceinline__ void draw_columns(const Body& body, const typename Base::Randoms& randoms, int j,
                                               u32 (&words)[streams][4]) const {
#pragma unroll
    for (int k = 0; k < header.streams; ++k)
      randoms.of[k].template along_columns<InStep>(static_cast<u32>(body.row_number() * call.keys + j),
                                                   words[k]);
  }
  // Of query i and the next, keys j and on being the warp's rows.
  template <bool InStep>
  __device__ __forceinline__ void draw_rows(const Body& body, const typename Base::Randoms& randoms, int i,
                                            int j, u32 (&words)[streams][4]) const {
    const i64 head = (body.place[0] * call.heads + body.place[1]) * call.queries;
#pragma unroll
    for (int k = 0; k < header.streams; ++k)
      randoms.of[k].template along_rows<InStep>(static_cast<u32>((head + i) * call.keys + j),
                                                static_cast<u32>((head + i + 1) * call.keys + j), words[k]);
  }

  template <int Result, int Columns>
  __device__ __forceinline__ void write(int which, i64 offset, i64 width, const float (&sums)[Columns][4],
                                        int half) const {
    using R = ctype<header.results[Result]>;
    if (R* const to = Base::template pointer<R>(which))
      store_sums(to + offset, static_cast<int>(width), sums, half, [](float x) { return x; });
  }
};

}  // namespace WEFT_NAMESPACE::kernels
