#pragma once
// What the attention kernels of a GPU share: a launch's parameters, operands as matrices, which tiles attend,
// and the weight of a score. A warp has 16 rows of the grid, a block the tile of its warps; tiles of the
// other side go by in shared memory.

#include <limits>

#include "weft/kernels/attention/random_words.cuh"
#include "weft/kernels/attention/score_bounds.hpp"
#include "weft/kernels/mma/shared_tile.cuh"

namespace WEFT_NAMESPACE::kernels {

// Widths of a head that the kernels have room for.
inline constexpr i64 most_attention_width = 256;
// What a block may take on every GPU with the instructions, and of that for what is known of tiles.
inline constexpr i64 most_attention_shared_bytes = 99 * 1024, most_tile_mask_bytes = 2048;
inline constexpr i64 most_warpgroup_shared_bytes = 227 * 1024;  // of sm_90

constexpr int attention_width(i64 width) {  // rounded up, so that a few kernels serve all
  const i64 step = width <= 64 ? 16 : width <= 128 ? 32 : 64;
  return static_cast<int>((width + step - 1) / step * step);
}

// What the captured integers and truth values lie between in a tile of one batch and head; of a tensor that
// varies by query and by key nothing is known.
template <class C>
struct CudaLoads {
  const AttentionCall& call;
  void* const* captured;

  template <int K, DType T>
  __device__ __forceinline__ detail::Interval of(const GridTile& t) const {
    using View = AttentionView<C>;
    if constexpr (K >= View::header.captured) {
      return detail::anything();
    } else {
      constexpr CapturedWord word = View::captured(K);
      constexpr int axis = (word.axes & 8) != 0 ? 3 : 2;
      if constexpr (is_float(word.dtype) || (word.axes & 12) == 12) {
        return detail::anything_of(T);
      } else {
        using E = std::conditional_t<word.dtype == DType::boolean, unsigned char, ctype<word.dtype>>;
        const E* p = static_cast<const E*>(captured[K]);
#pragma unroll
        for (int a = 0; a < 4; ++a) p += t.begin[a] * call.captured_stride(K, a);
        return detail::range_of(p, (word.axes & 12) != 0 ? t.end[axis] - t.begin[axis] : 1,
                                call.captured_stride(K, axis));
      }
    }
  }
};

// A launch's pointers, and numbers as attention_call reads them.
template <class C>
struct CudaAttentionParameters {
  using View = AttentionView<C>;
  static constexpr AttentionHeader header = View::header;
  static constexpr int pointers = AttentionPointers::captured(header.is_gradient) + header.captured;
  static constexpr int numbers =
      AttentionCall::extents + AttentionCall::stride_count + 4 * header.captured + header.streams;
  void* pointer[pointers];
  u64 number[numbers];
  u32 in_chunks;        // bits of AttentionCall::Operand
  u32 tile_mask_words;  // of each of two sets of bits; 0: every tile is computed
};

template <class C>
struct CudaAttention {
  using View = AttentionView<C>;
  using Parameters = CudaAttentionParameters<C>;
  using Body = ScoreBody<C, ScalarFamily>;
  using Operand = AttentionCall::Operand;
  using T = ctype<View::header.factors>;
  static constexpr AttentionHeader header = View::header;
  static constexpr f32 infinite = std::numeric_limits<f32>::infinity();

  const Parameters& parameters;
  AttentionCall call = attention_call(parameters.number, header.captured);

  template <class V>
  __device__ __forceinline__ V* pointer(int which) const {
    return static_cast<V*>(parameters.pointer[which]);
  }
  __device__ __forceinline__ Body body() const {
    return Body(call, parameters.pointer + AttentionPointers::captured(header.is_gradient),
                parameters.pointer[AttentionPointers::seed]);
  }
  // Of each random stream. The seed is read once: what is in memory may change, for all that the compiler
  // knows, at every barrier.
  static constexpr int streams = header.streams > 0 ? header.streams : 1;
  struct Randoms {
    RandomWords of[streams];
  };
  __device__ __forceinline__ Randoms randoms() const {
    Randoms r{};
    if constexpr (header.streams > 0) {
      const u32* const seed = pointer<const u32>(AttentionPointers::seed);
#pragma unroll
      for (int k = 0; k < streams; ++k)
        r.of[k] = {
            {seed[0], seed[1], seed[2], seed[3]}, static_cast<u32>(call.streams[k]), call.keys % 4 == 0};
    }
    return r;
  }
  // Whether the rows of every stream begin counters, so that nothing is asked of each while it is drawn.
  __device__ __forceinline__ static bool draws_in_step(const Randoms& r) {
    bool all = true;
#pragma unroll
    for (int k = 0; k < header.streams; ++k) all = all && r.of[k].aligned;
    return all;
  }
  // What is known of a tile of the grid, of one batch and head.
  __device__ __forceinline__ TileMask tile_mask(const GridTile& tile) const {
    const CudaLoads<C> loads{call, parameters.pointer + AttentionPointers::captured(header.is_gradient)};
    return TileBounds<C>::mask(tile, loads);
  }
  __device__ __forceinline__ GlobalRows<T> rows(Operand operand, int which, i64 b, i64 h, i64 first) const {
    const i64 row = call.stride(operand, 2);
    return {pointer<const T>(which) + b * call.stride(operand, 0) + h * call.stride(operand, 1) + first * row,
            row, call.stride(operand, 3), (parameters.in_chunks >> operand & 1u) != 0};
  }
  // The block's number, asked for anew, so that nothing that is made of it is kept in registers meanwhile.
  __device__ __forceinline__ static u32 block_number() {
    u32 r = 0;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(r));
    return r;
  }
  __device__ __forceinline__ i64 group() const { return call.heads / call.kv_heads; }

  // exp(score - shift) of a weight that becomes a factor of a product in T. Of 16-bit factors the shift is
  // scaled once a row.
  static constexpr f32 log2e = 1.44269504f;
  __device__ __forceinline__ static f32 scaled_shift(f32 shift) {
    return std::is_same_v<T, f32> ? shift : shift * log2e;
  }
  __device__ __forceinline__ static f32 weight(f32 score, f32 scaled) {
    if constexpr (std::is_same_v<T, f32>) {
      return exp(score - scaled);
    } else {
      f32 r;
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__fmaf_rn(score, log2e, -scaled)));
      return r;
    }
  }

  // What is known of each tile of those that go by, to each of `Sets` parts of the block: warpgroups that
  // have rows of their own. Every thread of the block calls find, and a barrier follows.
  template <int Sets>
  struct TileMasks {
    u32* bits;  // of each set: of the tiles that are computed, then of those that lie in the grid as a whole,
                // and where every mask holds
    int tiles;
    u32 words;  // 0: nothing is known

    // By the `Threads` threads of a set, of which this one is number `rank`.
    template <int Threads, class Mask, class Whole>
    __device__ __forceinline__ void find(int set, int rank, const Mask& mask, const Whole& whole) const {
      for (int word = rank / 32; word < static_cast<int>(words); word += Threads / 32) {
        const int t = 32 * word + rank % 32;
        const TileMask known = t < tiles ? mask(t) : TileMask::none;
        const u32 some = __ballot_sync(~0u, known != TileMask::none),
                  all = __ballot_sync(~0u, known == TileMask::full && whole(t));
        if (rank % 32 == 0) of(set)[word] = some, of(set)[words + static_cast<u32>(word)] = all;
      }
    }
    // The first that any set computes from `t` on, or `tiles`.
    __device__ __forceinline__ int next(int t) const {
      if (words == 0) return t;
      while (t < tiles) {
        u32 left = 0;
#pragma unroll
        for (int set = 0; set < Sets; ++set) left |= of(set)[t / 32];
        left >>= t % 32;
        if (left != 0) return t + __popc((left & (~left + 1)) - 1);
        t = (t / 32 + 1) * 32;
      }
      return tiles;
    }
    // A set's way over the tiles that any of them computes, word by word of the bits.
    struct Walk {
      int tile;            // `tiles` at the end
      bool attends, full;  // of this set
      u32 left, own, whole;
    };
    __device__ __forceinline__ Walk walk(int set) const {
      Walk w{-1, true, false, 0, 0, 0};
      go_on(set, w);
      return w;
    }
    __device__ __forceinline__ void go_on(int set, Walk& w) const {
      ++w.tile;
      if (words == 0) return;
      if (w.left == 0) {  // the next word that has a bit
        int word = (w.tile + 31) / 32;
        for (; w.left == 0 && word < static_cast<int>(words); ++word) {
#pragma unroll
          for (int k = 0; k < Sets; ++k) w.left |= of(k)[word];
          w.own = of(set)[word], w.whole = of(set)[words + static_cast<u32>(word)];
        }
        if (w.left == 0) {
          w.tile = tiles;
          return;
        }
        w.tile = 32 * (word - 1);
      }
      const u32 bit = w.left & (~w.left + 1);
      w.left ^= bit;
      w.tile = w.tile / 32 * 32 + __popc(bit - 1);
      w.attends = (w.own & bit) != 0, w.full = (w.whole & bit) != 0;
    }
    __device__ __forceinline__ bool is_full(int set, int t) const {
      return words != 0 && (of(set)[words + static_cast<u32>(t / 32)] >> t % 32 & 1u) != 0;
    }

   private:
    __device__ __forceinline__ u32* of(int set) const { return bits + static_cast<u32>(2 * set) * words; }
  };
  template <int Sets = 1>
  __device__ __forceinline__ TileMasks<Sets> tile_masks(void* shared, int tiles) const {
    return {static_cast<u32*>(shared), tiles, parameters.tile_mask_words};
  }
};

// A row of a result, `width` elements: columns 8 n + column and the next of a thread's sums.
template <class R, int Columns, class Scale>
__device__ __forceinline__ void store_sums(R* row, int width, const float (&sums)[Columns][4], int half,
                                           const Scale& scale) {
  struct alignas(2 * sizeof(R)) Pair {
    R first, second;
  };
  const MmaPlace at;
  const bool in_pairs = width % 2 == 0 && reinterpret_cast<std::uintptr_t>(row) % sizeof(Pair) == 0;
#pragma unroll
  for (int n = 0; n < Columns; ++n) {
    const int c = 8 * n + at.column;
    const float first = scale(sums[n][2 * half]), second = scale(sums[n][2 * half + 1]);
    if (c >= width) continue;
    if (in_pairs) {
      *reinterpret_cast<Pair*>(row + c) = Pair{R(first), R(second)};
    } else {
      row[c] = R(first);
      if (c + 1 < width) row[c + 1] = R(second);
    }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
