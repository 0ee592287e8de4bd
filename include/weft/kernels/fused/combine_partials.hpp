#pragma once
// The second stage of sums along rows: the chunks' partial results become one. Law: the order of every sum is
// fixed by the number of chunks and the size of the team.

#include "weft/kernels/fused/body.hpp"

namespace WEFT_NAMESPACE::kernels {

// One sum: `count` elements in each of `chunks` parts, `stride` bytes apart; and so for each batch, whose
// parts and results lie behind those of the one before.
struct PartialSum {
  const char* partial = nullptr;
  void* to = nullptr;
  i64 chunks = 0, stride = 0, count = 0;
  i64 first_block = 0;
  DType dtype{};
  Fold fold{};
  int batches = 1;
};
// As many as the arguments of a CUDA kernel can hold.
struct CombineArgs {
  static constexpr int max_sums = 72;
  int sums = 0;
  PartialSum sum[max_sums];
};
static_assert(sizeof(CombineArgs) <= 4096);

// Elements of one sum that a team works on side by side.
WEFT_HD constexpr int combine_columns(i64 count, int team_size) {
  return count > 1 && team_size >= 32 ? 32 : 1;
}
// Elements of one sum that a team works on, and the blocks of a batch.
WEFT_HD constexpr i64 combine_span(i64 count, int team_size) {
  return team_size == 1 ? 1024 : combine_columns(count, team_size);
}
WEFT_HD constexpr i64 combine_blocks(i64 count, int team_size) {
  const i64 span = combine_span(count, team_size);
  return (count + span - 1) / span;
}

// The parts of one batch.
struct BatchParts {
  const char* begin;
  i64 chunks, stride;
};
// Of the elements of V from number i on, what chunks row, row + rows, row + 2 rows, ... have found.
template <class S, Fold fold, class V>
WEFT_HD_INLINE V combine_chunks(const BatchParts& parts, i64 i, i64 row, i64 rows) {
  const char* const from = parts.begin + i * static_cast<i64>(sizeof(S));
  V total = load<V>(reinterpret_cast<const S*>(from + row * parts.stride));
  for (i64 c = row + rows; c < parts.chunks; c += rows)
    total = detail::combine<fold>(total, load<V>(reinterpret_cast<const S*>(from + c * parts.stride)));
  return total;
}
// What all chunks have, as a sum along as many rows adds them.
template <class S, Fold fold, class V>
WEFT_HD_INLINE V combine_all_chunks(const BatchParts& parts, i64 i) {
  if constexpr (fold == Fold::sum && std::is_same_v<lane_of<V>, float>) {
    if (parts.chunks > longest_column_sum) {
      V total = splat<V>(0), lost = total;
      BatchParts block = parts;
      for (i64 left = parts.chunks; left > 0; left -= block_of_sum) {
        block.chunks = left < block_of_sum ? left : i64{block_of_sum};
        detail::add_compensated(total, lost, combine_chunks<S, fold, V>(block, i, 0, 1));
        block.begin += block_of_sum * parts.stride;
      }
      return detail::compensated_sum(total, lost);
    }
  }
  return combine_chunks<S, fold, V>(parts, i, 0, 1);
}

// Elements [block * span, (block + 1) * span) of a sum, or of the batch that the block belongs to. The team's
// threads share the chunks of an element: thread r * columns + c takes every (size / columns)-th, from the
// r-th, of element c.
template <class S, Fold fold, class Team>
WEFT_HD_INLINE void combine_tile(Team& team, const PartialSum& sum, i64 block) {
  using T = register_of<S>;
  const int columns = combine_columns(sum.count, team.size()), rows = team.size() / columns;
  const int column = team.rank() % columns, row = team.rank() / columns;
  const i64 span = combine_span(sum.count, team.size());
  const u32 blocks = static_cast<u32>(combine_blocks(sum.count, team.size()));
  const u32 batch = sum.batches > 1 ? static_cast<u32>(block) / blocks : 0;
  block -= i64{batch} * blocks;
  S* to = static_cast<S*>(sum.to) + batch * sum.count;
  const BatchParts parts{sum.partial + batch * sum.chunks * sum.stride, sum.chunks, sum.stride};
  if constexpr (detail::is_serial<Team>) {
    const i64 begin = block * span, end = begin + span < sum.count ? begin + span : sum.count;
    i64 i = begin;
    for (; i + lanes <= end; i += lanes) store(to + i, combine_all_chunks<S, fold, Simd<T>>(parts, i));
    for (; i < end; ++i) store(to + i, combine_all_chunks<S, fold, T>(parts, i));
    return;
  }
  const i64 i = block * span + column;
  T total = detail::neutral<fold, T>();
  if (i < sum.count && row < sum.chunks) total = combine_chunks<S, fold, T>(parts, i, row, rows);
  if (rows > 1) {
    auto slots = team.template shared<T>(team.size());
    slots[team.rank()] = total;
    team.sync();
    if (row == 0) {
      for (int r = 1; r < rows && r < sum.chunks; ++r) {
        const T other = slots[r * columns + column];
        total = detail::combine<fold>(total, other);
      }
    }
  }
  if (row == 0 && i < sum.count) store(to + i, total);
}

// The sums that a program has, as a set: bit d for DType d, bit 16 + f for Fold f.
constexpr u64 combine_set(DType dtype, Fold fold) {
  return u64{1} << static_cast<int>(dtype) | u64{1} << (16 + static_cast<int>(fold));
}

// Block `block` of all sums of a launch; only what is in `Set` is compiled.
template <u64 Set, class Team>
WEFT_HD_INLINE void combine_block(Team& team, const CombineArgs& args, i64 block) {
  int k = 0;
  for (int end = args.sums; end - k > 1;) {
    const int middle = (k + end) / 2;
    (args.sum[middle].first_block <= block ? k : end) = middle;
  }
  const PartialSum sum = args.sum[k];
  block -= sum.first_block;
  detail::unroll<0, dtype_count>([&](auto d) __attribute__((always_inline)) {
    constexpr DType dtype = static_cast<DType>(d.value);
    if constexpr ((Set >> d.value & 1u) != 0 && dtype != DType::boolean) {
      if (sum.dtype != dtype) return;
      detail::unroll<0, 4>([&](auto f) __attribute__((always_inline)) {
        if constexpr ((Set >> (16 + f.value) & 1u) != 0)
          if (sum.fold == static_cast<Fold>(f.value))
            combine_tile<ctype<dtype>, static_cast<Fold>(f.value)>(team, sum, block);
      });
    }
  });
}

// The numbers of one sum of a launch, which has those of all its sums; its addresses are, for each, where its
// parts begin and where the sum goes.
struct CombineCall {
  i64 chunks = 0;
  i64 stride = 0;  // bytes from a chunk's part to the next one's
  i64 count = 0;   // elements of a batch
  DType dtype{};
  Fold fold{};
  i64 batches = 1;

  static constexpr int numbers = 5;
  constexpr void encode(u64* n) const {
    n[0] = static_cast<u64>(chunks), n[1] = static_cast<u64>(stride), n[2] = static_cast<u64>(count);
    n[3] = static_cast<u64>(dtype) | static_cast<u64>(fold) << 8, n[4] = static_cast<u64>(batches);
  }
  static constexpr CombineCall decode(const u64* n) {
    return {static_cast<i64>(n[0]),         static_cast<i64>(n[1]),       static_cast<i64>(n[2]),
            static_cast<DType>(n[3] & 255), static_cast<Fold>(n[3] >> 8), static_cast<i64>(n[4])};
  }
};
inline PartialSum partial_sum(const CombineCall& call, const void* partial, void* to) {
  PartialSum sum;
  sum.partial = static_cast<const char*>(partial);
  sum.to = to;
  sum.chunks = call.chunks;
  sum.stride = call.stride;
  sum.count = call.count;
  sum.batches = static_cast<int>(call.batches);
  sum.dtype = call.dtype;
  sum.fold = call.fold;
  return sum;
}

// The launch for up to CombineArgs::max_sums sums; `blocks` becomes the number of its blocks.
inline CombineArgs combine_args(const PartialSum* sums, int count, int team_size, i64& blocks) {
  CombineArgs args;
  args.sums = count;
  blocks = 0;
  for (int k = 0; k < count; ++k) {
    args.sum[k] = sums[k];
    args.sum[k].first_block = blocks;
    blocks += sums[k].batches * combine_blocks(sums[k].count, team_size);
  }
  return args;
}

}  // namespace WEFT_NAMESPACE::kernels
