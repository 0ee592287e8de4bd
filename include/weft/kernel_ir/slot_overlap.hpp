#pragma once
// Which slots have bytes in common. Law: a flat view over a parameter group covers its ranges alone, not what
// lies between them.

#include "weft/core/sorted.hpp"
#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

constexpr i64 slot_bytes(const ir::Graph& g, const ir::Slot& s) {
  return g.shapes[s.shape].size() * size_of(s.dtype);
}

constexpr bool covers(const ir::Graph& g, const ir::Slot& segmented, const ir::Slot& plain) {
  const ir::Span span = g.param_groups[segmented.segments];
  const i64 size = size_of(segmented.dtype);
  for (int r = 0; r < span.size; ++r) {
    const ir::Range& range = g.ranges[span.begin + r];
    const i64 begin = segmented.offset + range.offset * size, end = begin + range.length * size;
    if (plain.offset < end && begin < plain.offset + slot_bytes(g, plain)) return true;
  }
  return false;
}

// Of one space.
constexpr bool overlap(const ir::Graph& g, const ir::Slot& a, const ir::Slot& b) {
  if (a.segments >= 0 && b.segments >= 0) return a.segments == b.segments && a.offset == b.offset;
  if (a.segments >= 0) return covers(g, a, b);
  if (b.segments >= 0) return covers(g, b, a);
  return a.offset < b.offset + slot_bytes(g, b) && b.offset < a.offset + slot_bytes(g, a);
}

// The states that a graph reads, by where they lie: flat views over ranges apart, the others by their
// lengths, so that what lies across a slot is near it.
class StateIndex {
 public:
  constexpr explicit StateIndex(const ir::Graph& graph) : g(graph) {}

  constexpr void add(int state) { states_.push(state); }
  // Behind the last add().
  constexpr void sort() {
    for (int i : states_) {
      if (slot_of(i).segments >= 0) {
        segmented_.push(i);
        continue;
      }
      i64 longest = 1;
      while (longest < slot_bytes(g, slot_of(i))) longest *= 2;
      int c = 0;
      while (c < classes_.size() && classes_[c].longest != longest) ++c;
      if (c == classes_.size()) classes_.push({longest, List<int>()});
      classes_[c].states.push(i);
    }
    for (LengthClass& c : classes_) sort_by(c.states, [this](int i) { return slot_of(i).offset; });
  }
  // Calls f(state) for all that may have bytes in common with a slot.
  template <class F>
  constexpr void each_near(const ir::Slot& slot, const F& f) const {
    if (slot.segments >= 0) {
      for (int i : states_) f(i);
      return;
    }
    for (int i : segmented_) f(i);
    for (const LengthClass& c : classes_)
      for (int at = states_before(c, slot.offset + slot_bytes(g, slot)); --at >= 0;) {
        if (slot_of(c.states[at]).offset + c.longest <= slot.offset) break;
        f(c.states[at]);
      }
  }
  constexpr const ir::Slot& slot_of(int state) const { return g.slots[static_cast<int>(g.nodes[state].imm)]; }

 private:
  // Plain states whose bytes are at most `longest` and more than half of that, by where they begin.
  struct LengthClass {
    i64 longest = 0;
    List<int> states;
  };
  // How many states of a class begin before `end`.
  constexpr int states_before(const LengthClass& c, i64 end) const {
    int at = 0, past = c.states.size();
    while (at < past) {
      const int middle = (at + past) / 2;
      if (slot_of(c.states[middle]).offset < end)
        at = middle + 1;
      else
        past = middle;
    }
    return at;
  }

  const ir::Graph& g;
  List<int> states_;
  List<int> segmented_;
  List<LengthClass> classes_;
};

}  // namespace WEFT_NAMESPACE::kernel_ir
