#pragma once
// Attention's forward pass on a GPU: a block of queries against one tile of keys after another, scores and
// sums in registers; sums over keys are online. Law: the order of every sum depends on the extents alone.
//
// (Dao: FlashAttention-2, 2023.)

#include "weft/kernels/attention/forward_warpgroup.cuh"
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
using AttentionForwardTilingOf =
    AttentionForwardTiling<ctype<AttentionView<C>::header.factors>, Width, ValueWidth,
                           (AttentionView<C>::header.streams > 0), RowTiles>;

template <class C, int Width, int ValueWidth, int RowTiles>
struct CudaAttentionForward
    : AttentionForwardRows<C, AttentionForwardTilingOf<C, Width, ValueWidth, RowTiles>::keys, ValueWidth> {
  using Tiling = AttentionForwardTilingOf<C, Width, ValueWidth, RowTiles>;
  using Base = AttentionForwardRows<C, Tiling::keys, ValueWidth>;
  using Base::call;
  using Base::keys;
  using typename Base::RowPair;
  using typename Base::T;
  using At = AttentionPointers;
  static constexpr int queries = Tiling::queries, threads = Tiling::threads;
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
        0, static_cast<int>(threadIdx.x),
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
      const bool full = masks.is_full(0, t) && Base::draws_in_step(randoms);
      t = masks.next(t + 1);
      if (t < tiles) load_keys(t);
      end_group_of_copies();
#pragma unroll
      for (int m = 0; m < RowTiles; ++m) {
        if (full)
          Base::template weigh<true>(rows.of[m], randoms, j0, all_keys, scores[m], sums[m]);
        else
          Base::template weigh<false>(rows.of[m], randoms, j0, all_keys, scores[m], sums[m]);
      }
      wait_for_copies<1>();
      __syncthreads();
      add_products<T>(sums, scores, v_tile, ValueTile::pitch);
    }
#pragma unroll
    for (int m = 0; m < RowTiles; ++m)
      Base::finish(head, i0 + warp_row + 16 * m, all_queries, sums[m], rows.of[m]);
  }

 private:
  struct Rows {
    RowPair of[RowTiles];
  };
  template <int... M>
  __device__ __forceinline__ Rows begin_rows(std::integer_sequence<int, M...>) const {
    return {{Base::template begin_pair<M>()...}};
  }
};

// Blocks that are to fit a multiprocessor, where ptxas else makes room for one more and spills a few bytes;
// 0: as ptxas likes.
template <class C, int Width, int ValueWidth, int RowTiles>
constexpr int attention_blocks() {
  constexpr int widths = Width + ValueWidth;
  if (RowTiles > 1 || AttentionView<C>::header.streams > 0) return 2;
  return size_of(AttentionView<C>::header.factors) == 2 && widths > 128 && widths <= 256 ? 3 : 0;
}
// Compiled for a device with warpgroups' products, the kernel of one row tile uses those, and no other is
// launched there.
template <class C, int Width, int ValueWidth, int RowTiles>
using AttentionForwardOnDevice =
    std::conditional_t<compiles_warpgroup_products && RowTiles == 1 && takes_warpgroups<C>(),
                       WarpgroupAttentionForward<C, Width, ValueWidth>,
                       CudaAttentionForward<C, Width, ValueWidth, RowTiles>>;
template <class C, int Width, int ValueWidth, int RowTiles>
constexpr int attention_blocks_on_device() {
  if constexpr (compiles_warpgroup_products && RowTiles == 1 && takes_warpgroups<C>())
    return WarpgroupAttentionForward<C, Width, ValueWidth>::blocks;
  else
    return attention_blocks<C, Width, ValueWidth, RowTiles>();
}
template <u64 Tag, int Width, int ValueWidth, int RowTiles, u64... W>
__global__ void __launch_bounds__(
    (AttentionForwardOnDevice<Code<W...>, Width, ValueWidth, RowTiles>::threads),
    attention_blocks_on_device<Code<W...>, Width, ValueWidth, RowTiles>()) WEFT_KERNEL
    attention_kernel(const __grid_constant__ CudaAttentionParameters<Code<W...>> parameters) {
  extern __shared__ __align__(1024) unsigned char weft_attention_memory[];
  if constexpr (!(compiles_warpgroup_products && RowTiles > 1))
    AttentionForwardOnDevice<Code<W...>, Width, ValueWidth, RowTiles>{{{parameters}}}.run(
        weft_attention_memory);
}

}  // namespace WEFT_NAMESPACE::kernels
