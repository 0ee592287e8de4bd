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

  // What is known of each tile of those that go by. Every thread of the block calls find, and a barrier
  // follows.
  struct TileMasks {
    u32* attends;  // bits of the tiles that are computed
    u32* full;     // and of those that lie in the grid as a whole, and where every mask holds
    int tiles;
    u32 words;  // 0: nothing is known

    template <int Threads, class Mask, class Whole>
    __device__ __forceinline__ void find(const Mask& mask, const Whole& whole) const {
      const int rank = static_cast<int>(threadIdx.x);
      for (int word = rank / 32; word < static_cast<int>(words); word += Threads / 32) {
        const int t = 32 * word + rank % 32;
        const TileMask known = t < tiles ? mask(t) : TileMask::none;
        const u32 some = __ballot_sync(~0u, known != TileMask::none),
                  all = __ballot_sync(~0u, known == TileMask::full && whole(t));
        if (rank % 32 == 0) attends[word] = some, full[word] = all;
      }
    }
    // The first that is computed from `t` on, or `tiles`.
    __device__ __forceinline__ int next(int t) const {
      if (words == 0) return t;
      while (t < tiles) {
        const u32 left = attends[t / 32] >> t % 32;
        if (left != 0) return t + __popc((left & (~left + 1)) - 1);
        t = (t / 32 + 1) * 32;
      }
      return tiles;
    }
    __device__ __forceinline__ bool is_full(int t) const {
      return words != 0 && (full[t / 32] >> t % 32 & 1u) != 0;
    }
  };
  __device__ __forceinline__ TileMasks tile_masks(void* shared, int tiles) const {
    u32* const bits = static_cast<u32*>(shared);
    return {bits, bits + parameters.tile_mask_words, tiles, parameters.tile_mask_words};
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
