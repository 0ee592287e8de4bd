#pragma once
// How ranks share a vector: each has one piece of it. Law: the pieces are equal, up to the vector's end, and
// tile it in the order of the ranks; with more ranks than grains the last ranks have none.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::comm {

struct Shares {
  i64 elements = 0;
  i64 grain = 1;  // elements that are one rank's together

  // Elements of the largest piece.
  constexpr i64 piece(i64 ranks) const {
    const i64 grains = (elements + grain - 1) / grain, length = (grains + ranks - 1) / ranks * grain;
    return length < elements ? length : elements;
  }
  // Where the piece of `rank` begins, and that of the rank before ends.
  constexpr i64 begin(i64 rank, i64 ranks) const {
    const i64 at = rank * piece(ranks);
    return rank < ranks && at < elements ? at : elements;
  }
  // The same among elements [first, first + count) alone, counted from `first`.
  constexpr i64 begin_in(i64 rank, i64 ranks, i64 first, i64 count) const {
    const i64 at = begin(rank, ranks) - first;
    return at < 0 ? 0 : at < count ? at : count;
  }
};

}  // namespace WEFT_NAMESPACE::comm
