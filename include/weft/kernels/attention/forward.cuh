#pragma once
// Attention's forward pass on a GPU: a block of queries against one tile of keys after another, scores and
// sums in registers; sums over keys are online. Law: the order of every sum depends on the extents alone.
//
// (Dao: FlashAttention-2, 2023.)

#include "weft/kernels/attention/cuda_tiles.cuh"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// Tiles in shared memory: of queries, keys, values.
template <class T, int Width, int ValueWidth, bool Draws>
struct AttentionForwardTiling {
  static constexpr int warps = 4, threads = 32 * warps, queries = 16 * warps;
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

template <class C, int Width, int ValueWidth>
struct CudaAttentionForward : CudaAttention<C> {
  using Base = CudaAttention<C>;
  using Base::call;
  using Base::header;
  using Base::infinite;
  using Base::streams;
  using typename Base::Body;
  using typename Base::T;
  using At = AttentionPointers;
  using Tiling = AttentionForwardTiling<T, Width, ValueWidth, (header.streams > 0)>;
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
    const GlobalRows<T> all_k = Base::rows(AttentionCall::k, At::k, b, kv, 0),
                        all_v = Base::rows(AttentionCall::v, At::v, b, kv, 0);
    const auto load_keys = [&](int t) {
      KeyTile::template load<threads>(k_tile, all_k.from(t * keys), all_keys - t * keys,
                                      static_cast<int>(call.width));
    };

    const MmaPlace at;
    const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;
    Body body[2]{Base::body(), Base::body()};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = i0 + warp_row + at.row + 8 * half;
      body[half].go_to_row(b, h, i < all_queries ? i : all_queries - 1);
    }
    const typename Base::Randoms randoms = Base::randoms();
    float sums[ValueWidth / 8][4]{}, top[2]{-infinite, -infinite}, total[2]{};

    int t = masks.next(0);
    if (t < tiles) load_keys(t);
    end_group_of_copies();
    while (t < tiles) {
      wait_for_copies<0>();
      __syncthreads();  // the keys are there, and all are done with the values before
      ValueTile::template load<threads>(v_tile, all_v.from(t * keys), all_keys - t * keys,
                                        static_cast<int>(call.value_width));
      end_group_of_copies();
      float scores[keys / 8][4]{};
      add_product_transposed<T, keys / 8, Width>(scores, q_tile + warp_row * QueryTile::pitch,
                                                 QueryTile::pitch, k_tile, KeyTile::pitch);
      __syncthreads();
      const int j0 = t * keys;
      const bool full = masks.is_full(t);
      t = masks.next(t + 1);
      if (t < tiles) load_keys(t);
      end_group_of_copies();
      if (full)
        weigh<true>(body, randoms, j0, all_keys, scores, sums, top, total);
      else
        weigh<false>(body, randoms, j0, all_keys, scores, sums, top, total);
      wait_for_copies<1>();
      __syncthreads();
      add_product<T>(sums, scores, v_tile, ValueTile::pitch);
    }
    finish(head, i0 + warp_row, all_queries, sums, top, total);
  }

 private:
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
  __device__ __forceinline__ void weigh(Body (&body)[2],
                                        [[maybe_unused]] const typename Base::Randoms& randoms, int j0,
                                        int all_keys, float (&scores)[keys / 8][4],
                                        float (&sums)[ValueWidth / 8][4], float (&top)[2],
                                        float (&total)[2]) const {
    const MmaPlace at;
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
                                         const float (&sums)[ValueWidth / 8][4], const float (&top)[2],
                                         float (&total)[2]) const {
    using R = ctype<header.results[0]>;
    const MmaPlace at;
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

template <u64 Tag, int Width, int ValueWidth, u64... W>
__global__ void __launch_bounds__((CudaAttentionForward<Code<W...>, Width, ValueWidth>::threads)) WEFT_KERNEL
    attention_kernel(const __grid_constant__ CudaAttentionParameters<Code<W...>> parameters) {
  extern __shared__ __align__(16) unsigned char weft_shared_memory[];
  CudaAttentionForward<Code<W...>, Width, ValueWidth>{{parameters}}.run(weft_shared_memory);
}

}  // namespace WEFT_NAMESPACE::kernels
