#pragma once
// Finds entries of a growing array by their hash, in the time that entries of that hash take.
// Law: first() and next() give every entry of a hash once, the earliest added first.

#include "weft/core/list.hpp"

namespace WEFT_NAMESPACE {

class HashIndex {
 public:
  // The first entry of hash h, -1 without one; then the next one of the same hash.
  constexpr int first(u64 h) const {
    if (entries_.empty()) return -1;
    return matching(heads_.items[bucket(h)], h);
  }
  constexpr int next(int entry) const {
    return matching(entries_.items[entry].next, entries_.items[entry].hash);
  }
  // Entry number size() has hash h.
  constexpr void add(u64 h) {
    if (entries_.size() == heads_.size()) widen();
    entries_.push({h, -1});
    append(entries_.size() - 1);
  }
  constexpr int size() const { return entries_.size(); }

 private:
  struct Entry {
    u64 hash = 0;
    int next = -1;  // in the same bucket
  };
  constexpr u64 bucket(u64 h) const { return (h ^ h >> 7 ^ h >> 15) & static_cast<u64>(heads_.size() - 1); }
  constexpr int matching(int entry, u64 h) const {
    while (entry >= 0 && entries_.items[entry].hash != h) entry = entries_.items[entry].next;
    return entry;
  }
  constexpr void append(int entry) {
    int* at = &heads_.items[bucket(entries_.items[entry].hash)];
    while (*at >= 0) at = &entries_.items[*at].next;
    *at = entry;
  }
  constexpr void widen() {
    heads_ = List<int>(heads_.empty() ? 16 : 2 * heads_.size(), -1);
    for (int k = 0; k < entries_.size(); ++k) {
      entries_.items[k].next = -1;
      append(k);
    }
  }

  List<int> heads_;  // a power of two of them
  List<Entry> entries_;
};

}  // namespace WEFT_NAMESPACE
