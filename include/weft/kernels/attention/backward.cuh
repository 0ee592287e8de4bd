#pragma once
// Attention's backward pass on a GPU: weights are computed anew of the scores and each row's log-sum-exp. One
// kernel has a block for a tile of queries and passes over keys, the other the reverse, so that every sum has
// one owner: two of seven products are computed twice, and no atomics are needed. Law: the order of every sum
// depends on the extents alone.

#include "weft/kernels/attention/backward_warpgroup.cuh"
#include "weft/kernels/launch/cuda.cuh"

namespace WEFT_NAMESPACE::kernels {

// A block's tiles: two that stay, (q, dy) or (k, v), and two that go by, in one or two stages.
template <class C, int Width, int ValueWidth, AttentionGradients Which>
struct AttentionBackwardTiling {
  using View = AttentionView<C>;
  using T = ctype<View::header.factors>;
  struct Choice {
    int warps, moving, stages;
  };
  static constexpr i64 bytes(const Choice& c) {
    return static_cast<i64>(sizeof(T)) * (16 * c.warps + c.moving * c.stages) *
               (SharedTile<T, 1, Width>::size + SharedTile<T, 1, ValueWidth>::size) +
           row_numbers(c) * static_cast<i64>(sizeof(f32));
  }
  // Where queries go by, log-sum-exp and delta of each do.
  WEFT_HD static constexpr i64 row_numbers(const Choice& c) {
    return Which == AttentionGradients::of_queries ? 0 : 2 * c.moving * c.stages;
  }
  // Numbers that a thread holds of its results and of a tile's weights and gradients; where queries go by,
  // what belongs to each of them as well; an element and its address of each tensor that is read along them,
  // for ptxas loads all of a tile ahead.
  static constexpr int registers(const Choice& c) {
    const int results = Which == AttentionGradients::of_values            ? ValueWidth
                        : Which == AttentionGradients::of_keys_and_values ? Width + ValueWidth
                                                                          : Width;
    return results / 2 + (Which == AttentionGradients::of_queries ? 1 : 2) * c.moving +
           captured_along<C, Which>() * 3 * c.moving / 4;
  }
  // Factors of f32 take twice the registers while they are multiplied.
  static constexpr int most_registers = std::is_same_v<T, f32> ? 72 : 160;
  static constexpr Choice choose() {
    for (const int warps : {4, 2})
      for (const int moving : {64, 32, 16})
        for (const int stages : {2, 1}) {
          const Choice c{warps, moving, stages};
          if (bytes(c) + most_tile_mask_bytes <= most_attention_shared_bytes &&
              (registers(c) <= most_registers || moving == 16))
            return c;
        }
    return {1, 16, 1};
  }
  static constexpr Choice choice = choose();
  static constexpr int threads = 32 * choice.warps;
};

template <class C, int Width, int ValueWidth, AttentionGradients Which>
struct CudaAttentionBackward
    : AttentionBackwardRows<C, Which, AttentionBackwardTiling<C, Width, ValueWidth, Which>::choice.moving,
                            AttentionBackwardTiling<C, Width, ValueWidth, Which>::threads> {
  using Tiling = AttentionBackwardTiling<C, Width, ValueWidth, Which>;
  using Base = AttentionBackwardRows<C, Which, Tiling::choice.moving, Tiling::threads>;
  using Base::call;
  using Base::moving;
  using Base::of_factors;
  using Base::of_queries;
  using Base::of_values;
  using Base::threads;
  using typename Base::RowNumbers;
  using typename Base::T;
  using At = AttentionPointers;
  static constexpr int staying = 16 * Tiling::choice.warps, stages = Tiling::choice.stages;
  using Staying = SharedTile<T, staying, Width>;
  using StayingValues = SharedTile<T, staying, ValueWidth>;
  using Moving = SharedTile<T, moving, Width>;
  using MovingValues = SharedTile<T, moving, ValueWidth>;
  static constexpr i64 shared_bytes() { return Tiling::bytes(Tiling::choice) + most_tile_mask_bytes; }

  __device__ __forceinline__ void run(unsigned char* shared) const {
    T* const staying_tile = reinterpret_cast<T*>(shared);
    T* const staying_values = staying_tile + Staying::size;
    T* const moving_tile = staying_values + StayingValues::size;
    T* const moving_values = moving_tile + stages * Moving::size;

    const int all_staying = static_cast<int>(of_queries ? call.queries : call.keys),
              all_moving = static_cast<int>(of_queries ? call.keys : call.queries);
    const u32 heads = static_cast<u32>(of_queries ? call.heads : call.kv_heads);
    const int blocks = (all_staying + staying - 1) / staying;
    const int block = static_cast<int>(blockIdx.x % static_cast<u32>(blocks));
    const int first = (of_queries ? blocks - 1 - block : block) * staying;  // the longest of a causal order
    const u32 head = blockIdx.x / static_cast<u32>(blocks);
    const i64 b = head / heads, h = head % heads;

    load<true, staying>(staying_tile, staying_values, b, h, first, all_staying);
    const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;
    const typename Base::Randoms randoms = Base::randoms();
    float of_staying[of_factors ? Width / 8 : 1][4]{}, of_staying_values[of_values ? ValueWidth / 8 : 1][4]{};
    [[maybe_unused]] RowNumbers own[2];
    if constexpr (of_queries)
      for (int half = 0; half < 2; ++half) {
        const int i = first + warp_row + MmaPlace{}.row + 8 * half,
                  row = i < all_staying ? i : all_staying - 1;
        own[half] = {*Base::row_number(false, b, h, row), *Base::row_number(true, b, h, row)};
      }
    const int tiles = (all_moving + moving - 1) / moving;
    f32* const row_numbers = reinterpret_cast<f32*>(moving_values + stages * MovingValues::size);
    const auto masks = Base::tile_masks(row_numbers + Tiling::row_numbers(Tiling::choice), tiles);
    const int passes = of_queries ? 1 : static_cast<int>(Base::group());
    for (int pass = 0; pass < passes; ++pass) {
      const i64 query_head = of_queries ? h : h * passes + pass,
                moving_head = of_queries ? h / Base::group() : query_head;
      __syncthreads();  // all are done with the masks before
      masks.template find<threads>(
          0, static_cast<int>(threadIdx.x),
          [&](int t) {
            return Base::mask(b, query_head, staying, first, all_staying, t * moving, all_moving);
          },
          [&](int t) { return first + staying <= all_staying && (t + 1) * moving <= all_moving; });
      __syncthreads();
      int t = masks.next(0), stage = 0;
      const auto begin_tile = [&] {  // tile t, if there is one
        if (t < tiles) {
          load<false, moving>(moving_tile + stage * Moving::size, moving_values + stage * MovingValues::size,
                              b, moving_head, t * moving, all_moving);
          if constexpr (!of_queries)
            Base::load_rows(row_numbers + stage * 2 * moving, b, query_head, t * moving, all_moving);
        }
        end_group_of_copies();
      };
      begin_tile();
      while (t < tiles) {
        const int now = t, used = stage;
        const bool full = masks.is_full(0, t) && Base::draws_in_step(randoms);
        t = masks.next(t + 1);
        if constexpr (stages == 2) {
          stage = 1 - stage;
          begin_tile();
          wait_for_copies<1>();
        } else {
          wait_for_copies<0>();
        }
        __syncthreads();
        const T* const m = moving_tile + used * Moving::size;
        const T* const mv = moving_values + used * MovingValues::size;
        float weights[moving / 8][4]{}, gradients[moving / 8][4]{};
        add_product_transposed<T, moving / 8, Width>(weights, staying_tile + warp_row * Staying::pitch,
                                                     Staying::pitch, m, Moving::pitch);
        if constexpr (of_factors)
          add_product_transposed<T, moving / 8, ValueWidth>(gradients,
                                                            staying_values + warp_row * StayingValues::pitch,
                                                            StayingValues::pitch, mv, MovingValues::pitch);
        const f32* const rows = row_numbers + used * 2 * moving;
        const auto row_of = [&](int outer) {
          if constexpr (of_queries) return own[outer];
          const int at = 8 * (outer / 2) + MmaPlace{}.column + outer % 2;
          return RowNumbers{rows[at], rows[moving + at]};
        };
        if (full)
          Base::template evaluate<true>(randoms, b, query_head, first + warp_row, all_staying, now * moving,
                                        all_moving, row_of, weights, gradients);
        else
          Base::template evaluate<false>(randoms, b, query_head, first + warp_row, all_staying, now * moving,
                                         all_moving, row_of, weights, gradients);
        if constexpr (of_factors) add_product<T>(of_staying, gradients, m, Moving::pitch);
        if constexpr (of_values) add_product<T>(of_staying_values, weights, mv, MovingValues::pitch);
        __syncthreads();
        if constexpr (stages == 1) begin_tile();
      }
    }
    const MmaPlace at;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first + warp_row + at.row + 8 * half;
      if (i >= all_staying) continue;
      const i64 row = i64{head} * all_staying + i;
      if constexpr (of_queries)
        Base::template write<0>(At::dq, row * call.width, call.width, of_staying, half);
      else if constexpr (of_factors)
        Base::template write<1>(At::dk, row * call.width, call.width, of_staying, half);
      if constexpr (of_values)
        Base::template write<2>(At::dv, row * call.value_width, call.value_width, of_staying_values, half);
    }
  }

 private:
  // Rows [first, first + Rows) of head h: of q and dy, or of k and v.
  template <bool Stays, int Rows>
  __device__ __forceinline__ void load(T* tile, T* values, i64 b, i64 h, int first, int all) const {
    constexpr bool queries = Stays == of_queries;
    SharedTile<T, Rows, Width>::template load<threads>(
        tile, Base::rows(queries ? AttentionCall::q : AttentionCall::k, queries ? At::q : At::k, b, h, first),
        all - first, static_cast<int>(call.width));
    SharedTile<T, Rows, ValueWidth>::template load<threads>(
        values,
        Base::rows(queries ? AttentionCall::dy : AttentionCall::v, queries ? At::dy : At::v, b, h, first),
        all - first, static_cast<int>(call.value_width));
  }
};

// Compiled for a device with warpgroups' products, the kernel uses those.
template <class C, int Width, int ValueWidth, AttentionGradients Which>
using AttentionBackwardOnDevice = std::conditional_t<compiles_warpgroup_products && takes_warpgroups<C>(),
                                                     WarpgroupAttentionBackward<C, Width, ValueWidth, Which>,
                                                     CudaAttentionBackward<C, Width, ValueWidth, Which>>;
template <class C, int Width, int ValueWidth, AttentionGradients Which>
constexpr int backward_blocks_on_device() {
  if constexpr (compiles_warpgroup_products && takes_warpgroups<C>())
    return WarpgroupAttentionBackward<C, Width, ValueWidth, Which>::blocks;
  else
    return 2;
}
template <u64 Tag, int Width, int ValueWidth, u64 Which, u64... W>
__global__ void __launch_bounds__(
    (AttentionBackwardOnDevice<Code<W...>, Width, ValueWidth,
                               static_cast<AttentionGradients>(Which)>::threads),
    backward_blocks_on_device<Code<W...>, Width, ValueWidth, static_cast<AttentionGradients>(Which)>())
    WEFT_KERNEL
    attention_gradient_kernel(const __grid_constant__ CudaAttentionParameters<Code<W...>> parameters) {
  extern __shared__ __align__(1024) unsigned char weft_attention_memory[];
  AttentionBackwardOnDevice<Code<W...>, Width, ValueWidth, static_cast<AttentionGradients>(Which)>{
      {{parameters}}}
      .run(weft_attention_memory);
}

}  // namespace WEFT_NAMESPACE::kernels
