#pragma once
// What a rank has of a block of memory whose vectors are shared out: the optimiser's, or the model's.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::exec {

// To the compiler each vector is whole and takes `vector` bytes, one behind the other from byte `from` on; a
// rank has elements [begin, end) of each, `room` bytes apart. What lies behind byte `behind` a rank has
// whole. Law: a program reaches no others, as it walks parameter groups there alone, or gathers what all
// have.
struct Shard {
  i64 from = 0, vector = 0;  // vector 0: the block is whole
  i64 begin = 0, end = 0, unit = 0, room = 0;
  i64 grain = 1;  // elements that are one rank's together
  i64 bytes = 0;  // of the rank's block
  i64 behind = i64{1} << 62;

  constexpr bool is_whole() const { return vector == 0; }
  // Where byte `offset` of the compiler's block is in the rank's, if it has it.
  constexpr i64 at(i64 offset) const {
    if (is_whole() || offset < from) return offset;
    if (offset >= behind) return from + (behind - from) / vector * room + (offset - behind);
    return from + (offset - from) / vector * room + (offset - from) % vector - begin * unit;
  }
};

// Of the blocks that a program works on.
struct Shards {
  Shard optimizer, model;
};

}  // namespace WEFT_NAMESPACE::exec
