#pragma once
// Attention's forward pass on a GPU: a block of queries against one tile of keys after another, scores and
// sums in registers; sums over keys are online. Law: the order of every sum depends on the extents alone.
//
// (Dao: FlashAttention-2, 2023.)

#include "weft/kernels/attention/cuda_tiles.cuh"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// Tiles in shared memory: of queries, keys, values. A warp has RowTiles times 16 queries.
template <class T, int Width, int ValueWidth, bool Draws, int RowTiles>
struct AttentionForwardTiling {
  static constexpr int warps = 4, threads = 32 * warps, queries = 16 * RowTiles * warps;
  static constexpr i64 bytes(int keys) {
    return static_cast<i64>(sizeof(T)) *
           (SharedTile<T, queries, Width>::size +
            keys * (SharedTile<T, 1, Width>::size + SharedTile<T, 1, ValueWidth>::size));
  }
  // Of f32 the random numbers of a tile take registers that ptxas for sm_80 else spills.
  static constexpr int most_keys = Draws && std::is_same_v<T, f32> ? 32 : 64;
  static constexpr bool fits(int keys) {
    return keys <= most_keys && bytes(keys) + most_tile_mask_bytes <= most_attention_shared_bytes &&
           keys + ValueWidth <= 288;
  }
  static constexpr int keys = fits(64) ? 64 : fits(32) ? 32 : 16;
};

// The most that a thread has registers for: of narrow heads and short functions that read no tensors.
// Products of several share what they read of keys and values.
inline constexpr int most_instructions_of_two_tiles = 24;
template <class C, int Width, int ValueWidth>
constexpr int most_row_tiles() {
  constexpr AttentionHeader header = AttentionView<C>::header;
  return size_of(header.factors) == 2 && header.streams == 0 && header.captured == 0 &&
                 header.instructions <= most_instructions_of_two_tiles && Width + ValueWidth <= 128
             ? 2
             : 1;
}

template <class C, int Width, int ValueWidth, int RowTiles>
struct CudaAttentionForward : CudaAttention<C> {
  using Base = CudaAttention<C>;
  using Base::call;
  using Base::header;
  using Base::infinite;
  using Base::streams;
  using typename Base::Body;
  using typename Base::T;
  using At = AttentionPointers;
  using Tiling = AttentionForwardTiling<T, Width, ValueWidth, (header.streams > 0), RowTiles>;
  static constexpr int queries = Tiling::queries, keys = Tiling::keys, threads = Tiling::threads;
  using QueryTile = SharedTile<T, queries, Width>;
  using KeyTile = SharedTile<T, keys, Width>;
  using ValueTile = SharedTile<T, keys, ValueWidth>;
  static constexpr i64 shared_bytes() { return Tiling::bytes(keys) + most_tile_mask_bytes; }

  __device__ __forceinline__ void run(unsigned char* shared) const {
    T* const q_tile = reinterpret_cast<T*>(shared);
    T* const k_tile = q_tile + QueryTile::size;
    T* const v_tile = k_tile + KeyTile::size;

    // blocks of one head are neighbours, which read the same keys; the longest of a causal order come first
    const int blocks = static_cast<int>((call.queries + queries - 1) / queries);
    const int i0 = (blocks - 1 - static_cast<int>(blockIdx.x % static_cast<u32>(blocks))) * queries;
    const u32 head = blockIdx.x / static_cast<u32>(blocks);
    const i64 b = head / static_cast<u32>(call.heads), h = head % static_cast<u32>(call.heads),
              kv = h / Base::group();
    const int all_queries = static_cast<int>(call.queries), all_keys = static_cast<int>(call.keys);

    QueryTile::template load<threads>(q_tile, Base::rows(AttentionCall::q, At::q, b, h, i0), all_queries - i0,
                                      static_cast<int>(call.width));
    const int tiles = (all_keys + keys - 1) / keys;
    const auto masks = Base::tile_masks(v_tile + ValueTile::size, tiles);
    masks.template find<threads>(
        [&](int t) {
          const i64 j = i64{t} * keys;
          return Base::tile_mask({{b, h, i0, j},
                                  {b + 1, h + 1, i0 + queries < all_queries ? i0 + queries : all_queries,
                                   j + keys < all_keys ? j + keys : all_keys}});
        },
        [&](int t) { return (t + 1) * keys <= all_keys; });
    __syncthreads();
    const auto load_keys = [&](int t) {
      KeyTile::template load<threads>(k_tile, Base::rows(AttentionCall::k, At::k, b, kv, i64{t} * keys),
                                      all_keys - t * keys, static_cast<int>(call.width));
    };

    const MmaPlace at;
    const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16 * RowTiles;
    auto rows = begin_rows(std::make_integer_sequence<int, RowTiles>{});
#pragma unroll
    for (int m = 0; m < RowTiles; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int i = i0 + warp_row + 16 * m + at.row + 8 * half;
        rows.of[m].body[half].go_to_row(b, h, i < all_queries ? i : all_queries - 1);
      }
    const typename Base::Randoms randoms = Base::randoms();
    float sums[RowTiles][ValueWidth / 8][4]{};

    int t = masks.next(0);
    if (t < tiles) load_keys(t);
    end_group_of_copies();
    while (t < tiles) {
      wait_for_copies<0>();
      __syncthreads();  // the keys are there, and all are done with the values before
      ValueTile::template load<threads>(v_tile, Base::rows(AttentionCall::v, At::v, b, kv, i64{t} * keys),
                                        all_keys - t * keys, static_cast<int>(call.value_width));
      end_group_of_copies();
      float scores[RowTiles][keys / 8][4]{};
      add_products_transposed<T, Width>(scores, q_tile + warp_row * QueryTile::pitch, QueryTile::pitch,
                                        k_tile, KeyTile::pitch);
      __syncthreads();
      const int j0 = t * keys;
      const bool full = masks.is_full(t);
      t = masks.next(t + 1);
      if (t < tiles) load_keys(t);
      end_group_of_copies();
#pragma unroll
      for (int m = 0; m < RowTiles; ++m) {
        if (full)
          weigh<true>(rows.of[m], randoms, j0, all_keys, scores[m], sums[m]);
        else
          weigh<false>(rows.of[m], randoms, j0, all_keys, scores[m], sums[m]);
      }
      wait_for_copies<1>();
      __syncthreads();
      add_products<T>(sums, scores, v_tile, ValueTile::pitch);
    }
#pragma unroll
    for (int m = 0; m < RowTiles; ++m) finish(head, i0 + warp_row + 16 * m, all_queries, sums[m], rows.of[m]);
  }

 private:
  // Two rows of a tile of 16, of which a thread has columns: their largest scores and the sums of their
  // weights so far.
  struct RowPair {
    Body body[2];
    float top[2], total[2];
  };
  struct Rows {
    RowPair of[RowTiles];
  };
  template <int>  // an expansion of (void(M), ...) ends nvcc 13.0
  __device__ __forceinline__ RowPair begin_pair() const {
    return {{Base::body(), Base::body()}, {-infinite, -infinite}, {}};
  }
  template <int... M>
  __device__ __forceinline__ Rows begin_rows(std::integer_sequence<int, M...>) const {
    return {{begin_pair<M>()...}};
  }

  // The random words of the keys from j on, by row and stream.
  __device__ __forceinline__ void draw(const Body (&body)[2], const typename Base::Randoms& randoms, int j,
                                       u32 (&words)[2][streams][4]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int k = 0; k < header.streams; ++k)
        randoms.of[k].along_columns(static_cast<u32>(body[half].row_number() * call.keys + j),
                                    words[half][k]);
  }
  // Scores become weights relative to the largest of their row so far, and so do the sums. Full: all keys are
  // there, and every mask holds.
  template <bool Full>
  __device__ __forceinline__ void weigh(RowPair& rows, [[maybe_unused]] const typename Base::Randoms& randoms,
                                        int j0, int all_keys, float (&scores)[keys / 8][4],
                                        float (&sums)[ValueWidth / 8][4]) const {
    const MmaPlace at;
    Body(&body)[2] = rows.body;
    float(&top)[2] = rows.top, (&total)[2] = rows.total;
    constexpr int factors = header.drops ? keys / 8 : 1;
    [[maybe_unused]] float factor[factors][4];
    float reached[2]{-infinite, -infinite};
    [[maybe_unused]] u32 words[2][streams][4];  // of two tiles of eight keys
#pragma unroll
    for (int n = 0; n < keys / 8; ++n) {
      if constexpr (header.streams > 0)
        if (n % 2 == 0) draw(body, randoms, j0 + 8 * n, words);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int j = j0 + 8 * n + at.column + e % 2;
        const bool there = Full || j < all_keys;
#pragma unroll
        for (int k = 0; k < header.streams; ++k) body[e / 2].words[k] = words[e / 2][k][2 * (n % 2) + e % 2];
        const float s = body[e / 2].template score<Full>(there ? j : all_keys - 1, 1, scores[n][e]);
        if constexpr (header.drops) factor[n][e] = body[e / 2].factor();
        scores[n][e] = there ? s : -infinite;
        reached[e / 2] = fmaxf(scores[n][e], reached[e / 2]);
      }
    }
    float shift[2], before[2], sum[2]{};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int lane = 1; lane < 4; lane *= 2) {
        reached[half] = fmaxf(reached[half], __shfl_xor_sync(~0u, reached[half], lane));
      }
      const float largest = fmaxf(reached[half], top[half]);
      shift[half] = Base::scaled_shift(largest == -infinite ? 0 : largest);
      before[half] = Base::weight(top[half], shift[half]);
      top[half] = largest;
    }
#pragma unroll
    for (int n = 0; n < keys / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float p = Base::weight(scores[n][e], shift[e / 2]);
        sum[e / 2] += p;
        if constexpr (header.drops)
          scores[n][e] = p * factor[n][e];
        else
          scores[n][e] = p;
      }
#pragma unroll
    for (int half = 0; half < 2; ++half) total[half] = total[half] * before[half] + sum[half];
#pragma unroll
    for (int n = 0; n < ValueWidth / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[n][e] *= before[e / 2];
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
      if (f32* const lse = Base::template pointer<f32>(At::lse); lse != nullptr && at.lane % 4 == 0)
        lse[row] = total[half] == 0 ? -infinite : top[half] + log(total[half]);
    }
  }
};

// Blocks that are to fit a multiprocessor, where ptxas else makes room for one more and spills a few bytes;
// 0: as ptxas likes.
template <class C, int Width, int ValueWidth, int RowTiles>
constexpr int attention_blocks() {
  constexpr int widths = Width + ValueWidth;
  if (RowTiles > 1) return 2;
  return size_of(AttentionView<C>::header.factors) == 2 && widths > 128 && widths <= 256 ? 3 : 0;
}
template <u64 Tag, int Width, int ValueWidth, int RowTiles, u64... W>
__global__ void __launch_bounds__((CudaAttentionForward<Code<W...>, Width, ValueWidth, RowTiles>::threads),
                                  attention_blocks<Code<W...>, Width, ValueWidth, RowTiles>()) WEFT_KERNEL
    attention_kernel(const __grid_constant__ CudaAttentionParameters<Code<W...>> parameters) {
  extern __shared__ __align__(16) unsigned char weft_shared_memory[];
  CudaAttentionForward<Code<W...>, Width, ValueWidth, RowTiles>{{parameters}}.run(weft_shared_memory);
}

}  // namespace WEFT_NAMESPACE::kernels
