#pragma once
// Attention's forward pass by warpgroups: each has 64 queries of the block's, and all share the tiles of keys
// and values that go by, the next being copied while one is multiplied. Law: the order of every sum depends
// on the extents alone.
//
// (Shah, Bikshandi, Zhang, Thakkar, Ramani, Dao: FlashAttention-3, 2024.)

#include "weft/kernels/attention/forward_rows.cuh"
#include "weft/kernels/mma/warpgroup.cuh"

namespace WEFT_NAMESPACE::kernels {

// Whether the instruction knows the factors.
template <class C>
constexpr bool takes_warpgroups() {
  return size_of(AttentionView<C>::header.factors) == 2;
}

// How a block is cut. Blocks of one warpgroup wait for nobody else's; of wide heads two share what they read.
// As many blocks share a multiprocessor as its registers admit: a thread holds a tile's scores, its results,
// and what the body has at hand.
template <class C, int Width, int ValueWidth>
struct WarpgroupForwardTiling {
  static constexpr AttentionHeader header = AttentionView<C>::header;
  static constexpr int results = ValueWidth / 2, most_instructions_at_hand = 24;
  static constexpr bool is_short =
      header.streams == 0 && header.captured == 0 && header.instructions <= most_instructions_at_hand;
  static constexpr bool is_narrow = results <= 32;
  static constexpr int warpgroups = is_narrow ? 1 : 2;
  static constexpr int blocks = !is_narrow ? 1 : is_short ? 4 : header.captured <= 1 ? 3 : 2;
  static constexpr int keys = !is_narrow && results <= 64 && Width <= 128 && is_short ? 128 : 64;
};

template <class C, int Width, int ValueWidth>
struct WarpgroupAttentionForward
    : AttentionForwardRows<C, WarpgroupForwardTiling<C, Width, ValueWidth>::keys, ValueWidth> {
  using Tiling = WarpgroupForwardTiling<C, Width, ValueWidth>;
  using Base = AttentionForwardRows<C, Tiling::keys, ValueWidth>;
  using Base::call;
  using Base::keys;
  using typename Base::T;
  using At = AttentionPointers;
  static constexpr int blocks = Tiling::blocks, warpgroups = Tiling::warpgroups;
  static constexpr int threads = warpgroups * warpgroup_threads, queries = warpgroups * warpgroup_rows;
  using QueryTile = WarpgroupTile<T, queries, Width>;
  using KeyTile = WarpgroupTile<T, keys, Width>;
  using ValueTile = WarpgroupTile<T, keys, ValueWidth>;
  static constexpr int stages = 2;
  static constexpr i64 shared_bytes() {
    return QueryTile::bytes + stages * (KeyTile::bytes + ValueTile::bytes) +
           warpgroups * most_tile_mask_bytes;
  }

  __device__ __forceinline__ void run(unsigned char* shared) const {
    unsigned char* const q_tile = shared;
    unsigned char* const k_tiles = q_tile + QueryTile::bytes;
    unsigned char* const v_tiles = k_tiles + stages * KeyTile::bytes;

    // blocks of one head are neighbours, which read the same keys; the longest of a causal order come first
    const int block_count = static_cast<int>((call.queries + queries - 1) / queries);
    const auto first_query = [block_count](u32 block) {
      return (block_count - 1 - static_cast<int>(block % static_cast<u32>(block_count))) * queries;
    };
    const int i0 = first_query(blockIdx.x);
    const u32 head = blockIdx.x / static_cast<u32>(block_count);
    const i64 b = head / static_cast<u32>(call.heads), h = head % static_cast<u32>(call.heads),
              kv = h / Base::group();
    const int all_queries = static_cast<int>(call.queries), all_keys = static_cast<int>(call.keys);
    const int group = static_cast<int>(threadIdx.x) / warpgroup_threads, group_row = group * warpgroup_rows;

    const int width = static_cast<int>(call.width), value_width = static_cast<int>(call.value_width);
    QueryTile::template copies<threads>([&] {
      return Base::rows(AttentionCall::q, At::q, b, h, i0);
    }).begin(q_tile, 0, all_queries - i0, width);
    const int tiles = (all_keys + keys - 1) / keys;
    const auto masks = Base::template tile_masks<warpgroups>(v_tiles + stages * ValueTile::bytes, tiles);
    masks.template find<warpgroup_threads>(
        group, static_cast<int>(threadIdx.x) % warpgroup_threads,
        [&](int t) {
          const i64 j = i64{t} * keys;
          const int first = i0 + group_row, end = first + warpgroup_rows;
          if (first >= all_queries) return TileMask::none;
          return Base::tile_mask({{b, h, first, j},
                                  {b + 1, h + 1, end < all_queries ? end : all_queries,
                                   j + keys < all_keys ? j + keys : all_keys}});
        },
        [&](int t) { return (t + 1) * keys <= all_keys; });
    __syncthreads();
    const auto key_copies =
        KeyTile::template copies<threads>([&] { return Base::rows(AttentionCall::k, At::k, b, kv, 0); });
    const auto value_copies =
        ValueTile::template copies<threads>([&] { return Base::rows(AttentionCall::v, At::v, b, kv, 0); });
    auto walk = masks.walk(group);
    int stage = 0;
    const auto begin_tile = [&] {  // the walk's, if there is one
      if (walk.tile < tiles) {
        key_copies.begin(k_tiles + stage * KeyTile::bytes, walk.tile, all_keys - walk.tile * keys, width);
        value_copies.begin(v_tiles + stage * ValueTile::bytes, walk.tile, all_keys - walk.tile * keys,
                           value_width);
      }
      end_group_of_copies();
    };
    begin_tile();

    const MmaPlace at;
    const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;  // group_row and the warp's rows in it
    auto rows = Base::template begin_pair<0>();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = i0 + warp_row + at.row + 8 * half;
      rows.body[half].go_to_row(b, h, i < all_queries ? i : all_queries - 1);
    }
    const typename Base::Randoms randoms = Base::randoms();
    float sums[ValueWidth / 8][4]{};

    while (walk.tile < tiles) {
      wait_for_copies<0>();
      show_to_products();
      __syncthreads();  // the tile is there, and all are done with the one before it
      const auto now = walk;
      const unsigned char* const k_tile = k_tiles + stage * KeyTile::bytes;
      const unsigned char* const v_tile = v_tiles + stage * ValueTile::bytes;
      masks.go_on(group, walk);
      stage = 1 - stage;
      begin_tile();
      if (!now.attends) continue;
      float scores[keys / 8][4];
      begin_warpgroup_products();
      begin_warpgroup_product_transposed<T, QueryTile, KeyTile, Width>(scores, q_tile, group_row, k_tile);
      end_group_of_products();
      wait_for_products<0>(scores);
      if (now.full && Base::draws_in_step(randoms))
        Base::template weigh<true>(rows, randoms, now.tile * keys, all_keys, scores, sums);
      else
        Base::template weigh<false>(rows, randoms, now.tile * keys, all_keys, scores, sums);
      const RoundedSums<T, keys / 8> weights(scores);
      begin_warpgroup_products();
      begin_warpgroup_product<T, ValueTile>(sums, weights.of, v_tile);
      end_group_of_products();
      wait_for_products<0>(sums);
    }
    const u32 block = Base::block_number();
    Base::finish(block / static_cast<u32>(block_count), first_query(block) + warp_row, all_queries, sums,
                 rows);
  }
};

}  // namespace WEFT_NAMESPACE::kernels
