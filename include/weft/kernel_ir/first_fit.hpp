#pragma once
// Memory handed out by first fit and taken back after the last reader: what a block's lifetime is, is known
// when it is handed out. The gaps are a list linked in ascending order, the last one without an end.

#include "weft/core/list.hpp"
#include "weft/kernel_ir/buffer_address.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

class FirstFit {
 public:
  // For readers numbered from 0 to `readers`.
  constexpr explicit FirstFit(int readers) : expires_at_(readers + 1, -1) {
    gaps_.push({0, 0, 1});
    gaps_.push({0, i64{1} << 62, -1});
  }

  // The offset of `bytes` that reader `last` is the last to read.
  constexpr i64 allocate(i64 bytes, int last) {
    bytes = align_up(bytes);
    Gap* const gaps = gaps_.data();
    int before = 0, at = gaps[0].next;
    while (gaps[at].end - gaps[at].begin < bytes) before = at, at = gaps[at].next;
    const i64 offset = gaps[at].begin;
    gaps[at].begin += bytes;
    if (gaps[at].begin == gaps[at].end) gaps[before].next = gaps[at].next;
    if (offset + bytes > peak_) peak_ = offset + bytes;
    expire(offset, bytes, last);
    return offset;
  }
  // Gives back what `reader` was the last to read.
  constexpr void release(int reader) {
    const Block* const blocks = blocks_.data();
    for (int b = expires_at_.items[reader]; b >= 0; b = blocks[b].next)
      give_back(blocks[b].offset, blocks[b].offset + blocks[b].bytes);
  }
  // Lets the block at `offset`, whose last reader is `reader`, live until `last` has read it; false if there
  // is none.
  constexpr bool prolong(i64 offset, int reader, int last) {
    Block* const blocks = blocks_.data();
    for (int* b = &expires_at_.items[reader]; *b >= 0; b = &blocks[*b].next) {
      if (blocks[*b].offset != offset) continue;
      const i64 bytes = blocks[*b].bytes;
      *b = blocks[*b].next;
      expire(offset, bytes, last);
      return true;
    }
    return false;
  }
  // The most bytes that were handed out at a time, gaps between them included.
  constexpr i64 peak() const { return peak_; }

 private:
  struct Gap {
    i64 begin = 0, end = 0;
    int next = -1;
  };
  struct Block {
    i64 offset = 0, bytes = 0;
    int next = -1;  // another block with the same last reader
  };
  constexpr void give_back(i64 begin, i64 end) {
    if (begin == end) return;
    Gap* const gaps = gaps_.data();
    int before = 0;  // gap 0 heads the list, empty
    int next = gaps[0].next;
    while (gaps[next].begin < begin) before = next, next = gaps[next].next;
    const bool joins_before = before != 0 && gaps[before].end == begin, joins_next = gaps[next].begin == end;
    if (joins_before && joins_next) {
      gaps[before].end = gaps[next].end;
      gaps[before].next = gaps[next].next;
    } else if (joins_before) {
      gaps[before].end = end;
    } else if (joins_next) {
      gaps[next].begin = begin;
    } else {
      gaps[before].next = gaps_.size();
      gaps_.push({begin, end, next});
    }
  }
  constexpr void expire(i64 offset, i64 bytes, int last) {
    blocks_.push({offset, bytes, expires_at_.items[last]});
    expires_at_.items[last] = blocks_.size() - 1;
  }

  List<Gap> gaps_;
  List<Block> blocks_;
  List<int> expires_at_;  // the first block whose last reader is this one
  i64 peak_ = 0;
};

}  // namespace WEFT_NAMESPACE::kernel_ir
