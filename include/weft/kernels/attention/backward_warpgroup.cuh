#pragma once
// Attention's backward pass by warpgroups: a block is one, with 64 rows that stay; of the tiles that go by
// the next is copied while one is multiplied. Law: the order of every sum depends on the extents alone.
//
// (Shah, Bikshandi, Zhang, Thakkar, Ramani, Dao: FlashAttention-3, 2024.)

#include "weft/kernels/attention/backward_rows.cuh"
#include "weft/kernels/attention/forward_warpgroup.cuh"

namespace WEFT_NAMESPACE::kernels {

// How a block is cut, which is one warpgroup's.
template <class C, int Width, int ValueWidth, AttentionGradients Which>
struct WarpgroupBackwardTiling {
  using View = AttentionView<C>;
  struct Choice {
    int blocks, moving, part;  // blocks that share a multiprocessor, columns of a tile, and of what is
                               // multiplied of it at once
  };
  static constexpr int stages = 2;
  static constexpr i64 bytes(const Choice& c) {
    const int rows = warpgroup_rows + stages * c.moving;
    const int numbers = Which == AttentionGradients::of_queries ? 0 : 2 * stages * c.moving;
    return i64{2} * rows * (Width + ValueWidth) + 4 * numbers + most_tile_mask_bytes;
  }
  // What a thread holds: results, a tile's weights and gradients, of each tensor that is read along a tile an
  // element and its address, for ptxas loads all of a tile ahead; and places, seeds and what is at hand,
  // which of numbers that are drawn for two rows together is most.
  static constexpr int registers(const Choice& c) {
    const int results = Which == AttentionGradients::of_values            ? ValueWidth
                        : Which == AttentionGradients::of_keys_and_values ? Width + ValueWidth
                                                                          : Width;
    return results / 2 + c.part + captured_along<C, Which>() * 3 * c.part / 4 + View::header.captured * 8 +
           (View::header.streams == 0                 ? 64
            : Which == AttentionGradients::of_queries ? 84
                                                      : 124);
  }
  static constexpr int most_registers = 250;
  static constexpr Choice choose() {
    for (const Choice c : {Choice{3, 64, 64}, Choice{2, 64, 64}, Choice{2, 64, 32}, Choice{2, 32, 32}})
      if (c.blocks * (bytes(c) + 1024) <= most_warpgroup_shared_bytes + 1024 &&
          registers(c) <= (c.blocks == 3 ? 160 : most_registers))
        return c;
    return {1, 32, 32};
  }
  static constexpr Choice choice = choose();
};

template <class C, int Width, int ValueWidth, AttentionGradients Which>
struct WarpgroupAttentionBackward
    : AttentionBackwardRows<C, Which, WarpgroupBackwardTiling<C, Width, ValueWidth, Which>::choice.moving,
                            warpgroup_threads> {
  using Tiling = WarpgroupBackwardTiling<C, Width, ValueWidth, Which>;
  using Base = AttentionBackwardRows<C, Which, Tiling::choice.moving, warpgroup_threads>;
  using Base::call;
  using Base::moving;
  using Base::of_factors;
  using Base::of_queries;
  using Base::of_values;
  using Base::threads;
  using typename Base::RowNumbers;
  using typename Base::T;
  using At = AttentionPointers;
  static constexpr int staying = warpgroup_rows, stages = Tiling::stages, blocks = Tiling::choice.blocks,
                       part = Tiling::choice.part;
  using Staying = WarpgroupTile<T, staying, Width>;
  using StayingValues = WarpgroupTile<T, staying, ValueWidth>;
  using Moving = WarpgroupTile<T, moving, Width>;
  using MovingValues = WarpgroupTile<T, moving, ValueWidth>;
  static constexpr i64 shared_bytes() { return Tiling::bytes(Tiling::choice); }

  __device__ __forceinline__ void run(unsigned char* shared) const {
    unsigned char* const staying_tile = shared;
    unsigned char* const staying_values = staying_tile + Staying::bytes;
    unsigned char* const moving_tiles = staying_values + StayingValues::bytes;
    unsigned char* const moving_values = moving_tiles + stages * Moving::bytes;
    f32* const row_numbers = reinterpret_cast<f32*>(moving_values + stages * MovingValues::bytes);

    const int all_staying = static_cast<int>(of_queries ? call.queries : call.keys),
              all_moving = static_cast<int>(of_queries ? call.keys : call.queries);
    const u32 heads = static_cast<u32>(of_queries ? call.heads : call.kv_heads);
    const u32 block_count = static_cast<u32>((all_staying + staying - 1) / staying);
    const auto first_row = [block_count](u32 number) {  // the longest of a causal order come first
      const u32 block = number % block_count;
      return static_cast<int>(of_queries ? block_count - 1 - block : block) * staying;
    };
    const int first = first_row(blockIdx.x);
    const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;

    const u32 head = blockIdx.x / block_count;
    begin_copies<true, staying>(head / heads, head % heads, first)(staying_tile, staying_values, 0,
                                                                   all_staying - first);
    const typename Base::Randoms randoms = Base::randoms();
    float of_staying[of_factors ? Width / 8 : 1][4]{}, of_staying_values[of_values ? ValueWidth / 8 : 1][4]{};
    [[maybe_unused]] RowNumbers own[2];
    if constexpr (of_queries)
      for (int half = 0; half < 2; ++half) {
        const int i = first + warp_row + MmaPlace{}.row + 8 * half,
                  row = i < all_staying ? i : all_staying - 1;
        own[half] = {*Base::row_number(false, head / heads, head % heads, row),
                     *Base::row_number(true, head / heads, head % heads, row)};
      }
    const int tiles = (all_moving + moving - 1) / moving;
    const auto masks = Base::tile_masks(row_numbers + (of_queries ? 0 : 2 * stages * moving), tiles);
    for (int pass = 0; pass < (of_queries ? 1 : static_cast<int>(Base::group())); ++pass) {
      const u32 own_head = Base::block_number() / block_count;
      const i64 b = own_head / heads, h = own_head % heads,
                query_head = of_queries ? h : h * Base::group() + pass,
                moving_head = of_queries ? h / Base::group() : query_head;
      __syncthreads();  // all are done with the masks and tiles before
      masks.template find<threads>(
          0, static_cast<int>(threadIdx.x),
          [&](int t) {
            return Base::mask(b, query_head, staying, first, all_staying, t * moving, all_moving);
          },
          [&](int t) { return first + staying <= all_staying && (t + 1) * moving <= all_moving; });
      __syncthreads();
      auto walk = masks.walk(0);
      int stage = 0;
      const auto begin_copy = begin_copies<false, moving>(b, moving_head, 0);
      const auto begin_tile = [&] {  // the walk's, if there is one
        if (walk.tile < tiles) {
          begin_copy(moving_tiles + stage * Moving::bytes, moving_values + stage * MovingValues::bytes,
                     walk.tile, all_moving - walk.tile * moving);
          if constexpr (!of_queries)
            Base::load_rows(row_numbers + stage * 2 * moving, b, query_head, walk.tile * moving, all_moving);
        }
        end_group_of_copies();
      };
      begin_tile();
      while (walk.tile < tiles) {
        wait_for_copies<0>();
        show_to_products();
        __syncthreads();  // the tile is there, and all are done with the one before it
        const auto now = walk;
        const unsigned char* const m = moving_tiles + stage * Moving::bytes;
        const unsigned char* const mv = moving_values + stage * MovingValues::bytes;
        const f32* const numbers = row_numbers + stage * 2 * moving;
        masks.go_on(0, walk);
        stage = 1 - stage;
        begin_tile();
#pragma unroll 1
        for (int c = 0; c < moving; c += part) {
          float weights[part / 8][4], gradients[part / 8][4];
          begin_warpgroup_products();
          begin_warpgroup_product_transposed<T, Staying, Moving, Width>(weights, staying_tile, 0, m, c);
          if constexpr (of_factors) {
            begin_warpgroup_product_transposed<T, StayingValues, MovingValues, ValueWidth>(
                gradients, staying_values, 0, mv, c);
          } else {
            for (auto& g : gradients) g[0] = g[1] = g[2] = g[3] = 0;
          }
          end_group_of_products();
          wait_for_products<0>(weights);
          if constexpr (of_factors) wait_for_products<0>(gradients);
          const auto row_of = [&](int outer) {
            if constexpr (of_queries) return own[outer];
            const int at = c + 8 * (outer / 2) + MmaPlace{}.column + outer % 2;
            return RowNumbers{numbers[at], numbers[moving + at]};
          };
          const int moves = now.tile * moving + c;
          if (now.full && Base::draws_in_step(randoms))
            Base::template evaluate<true>(randoms, b, query_head, first + warp_row, all_staying, moves,
                                          all_moving, row_of, weights, gradients);
          else
            Base::template evaluate<false>(randoms, b, query_head, first + warp_row, all_staying, moves,
                                           all_moving, row_of, weights, gradients);
          const RoundedSums<T, part / 8> rounded_weights(weights), rounded_gradients(gradients);
          begin_warpgroup_products();
          if constexpr (of_factors)
            begin_warpgroup_product<T, Moving>(of_staying, rounded_gradients.of, m, c);
          if constexpr (of_values)
            begin_warpgroup_product<T, MovingValues>(of_staying_values, rounded_weights.of, mv, c);
          end_group_of_products();
          if constexpr (of_factors) wait_for_products<0>(of_staying);
          if constexpr (of_values) wait_for_products<0>(of_staying_values);
        }
      }
    }
    const MmaPlace at;
    const u32 number = Base::block_number();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first_row(number) + warp_row + at.row + 8 * half;
      if (i >= all_staying) continue;
      const i64 row = i64{number / block_count} * all_staying + i;
      if constexpr (of_queries)
        Base::template write<0>(At::dq, row * call.width, call.width, of_staying, half);
      else if constexpr (of_factors)
        Base::template write<1>(At::dk, row * call.width, call.width, of_staying, half);
      if constexpr (of_values)
        Base::template write<2>(At::dv, row * call.value_width, call.value_width, of_staying_values, half);
    }
  }

 private:
  // Begins to copy a tile of q and dy, or of k and v, of head h from row `first` on.
  template <bool Stays, int Rows>
  __device__ __forceinline__ auto begin_copies(i64 b, i64 h, int first) const {
    constexpr bool queries = Stays == of_queries;
    const auto factors = WarpgroupTile<T, Rows, Width>::template copies<threads>([this, b, h, first] {
      return Base::rows(queries ? AttentionCall::q : AttentionCall::k, queries ? At::q : At::k, b, h, first);
    });
    const auto values = WarpgroupTile<T, Rows, ValueWidth>::template copies<threads>([this, b, h, first] {
      return Base::rows(queries ? AttentionCall::dy : AttentionCall::v, queries ? At::dy : At::v, b, h,
                        first);
    });
    return [this, factors, values](unsigned char* tile, unsigned char* value_tile, int t, int rows) {
      factors.begin(tile, t, rows, static_cast<int>(call.width));
      values.begin(value_tile, t, rows, static_cast<int>(call.value_width));
    };
  }
};

}  // namespace WEFT_NAMESPACE::kernels
