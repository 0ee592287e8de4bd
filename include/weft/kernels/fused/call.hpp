#pragma once
// What a fused kernel's launch has beside its addresses, as 64-bit numbers: those of FusedCall, the random
// streams, then, of a walk over parameter groups, a Segment for each range.

#include "weft/kernels/evaluator/code.hpp"

namespace WEFT_NAMESPACE::kernels {

struct FusedCall {
  i64 rows = 0, rows_per_chunk = 0, chunks = 0, last_cols = 0, partial_bytes = 0;
  int streams = 0;

  static constexpr int streams_at = 6, segment_numbers = 3;

  WEFT_HD constexpr void encode(u64* n) const {
    const i64 fields[]{rows, rows_per_chunk, chunks, last_cols, partial_bytes, streams};
    for (int k = 0; k < streams_at; ++k) n[k] = static_cast<u64>(fields[k]);
  }
  WEFT_HD static constexpr FusedCall decode(const u64* n) {
    const auto at = [&](int k) { return static_cast<i64>(n[k]); };
    return {at(0), at(1), at(2), at(3), at(4), static_cast<int>(n[5])};
  }

  // Where the segments begin, and how many there are among `count` numbers.
  WEFT_HD constexpr int segments_at() const { return streams_at + streams; }
  WEFT_HD constexpr int segments(int count) const { return (count - segments_at()) / segment_numbers; }
  // Segment k of the launch with numbers `n`.
  WEFT_HD constexpr Segment segment(const u64* n, int k) const {
    const u64* const s = n + segments_at() + segment_numbers * k;
    return {static_cast<i64>(s[0]), static_cast<i64>(s[1]), static_cast<i64>(s[2])};
  }
};

}  // namespace WEFT_NAMESPACE::kernels
