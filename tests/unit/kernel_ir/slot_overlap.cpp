// Which slots have bytes in common, against the bytes themselves.
#include "weft/kernel_ir/slot_overlap.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "weft/ir/value.hpp"

using namespace weft;

namespace {

std::set<i64> bytes_of(const ir::Graph& g, const ir::Slot& s) {
  std::set<i64> all;
  const i64 unit = size_of(s.dtype);
  const auto enter = [&](i64 begin, i64 end) {
    for (i64 b = begin; b < end; ++b) all.insert(b);
  };
  if (s.segments < 0) {
    enter(s.offset, s.offset + g.shapes[s.shape].size() * unit);
    return all;
  }
  const ir::Span span = g.param_groups[s.segments];
  for (int r = 0; r < span.size; ++r) {
    const ir::Range& range = g.ranges[span.begin + r];
    enter(s.offset + range.offset * unit, s.offset + (range.offset + range.length) * unit);
  }
  return all;
}
bool share(const std::set<i64>& a, const std::set<i64>& b) {
  for (const i64 x : a)
    if (b.count(x) != 0) return true;
  return false;
}

// Slots of one block: plain ones of many lengths, and two flat views over ranges with holes between them.
struct Sample {
  ir::Builder b;
  Sample() {
    ir::Graph& g = b.graph;
    const auto plain = [&](i64 offset, i64 elements, DType t) {
      const i64 extent[]{elements};
      g.slots.push({ir::Space::model, t, b.shape(ir::make_dims(1, extent)), -1, offset});
    };
    for (const i64 offset : {0, 16, 40, 64, 100, 256, 300})
      for (const i64 elements : {1, 3, 16, 40})
        plain(offset, elements, elements == 3 ? DType::f64 : DType::f32);
    for (const i64 begin : {0, 20}) {
      g.ranges.push({begin, 4});
      g.ranges.push({begin + 12, 6});
      g.param_groups.push({g.ranges.size() - 2, 2});
      const i64 extent[]{10};
      g.slots.push(
          {ir::Space::model, DType::f32, b.shape(ir::make_dims(1, extent)), g.param_groups.size() - 1, 0});
    }
  }
};

}  // namespace

TEST_CASE("slot overlap: two slots overlap where a byte is of both") {
  const Sample sample;
  const ir::Graph& g = sample.b.graph;
  std::vector<std::set<i64>> bytes;
  for (const ir::Slot& s : g.slots) bytes.push_back(bytes_of(g, s));
  int both = 0, neither = 0;
  for (int i = 0; i < g.slots.size(); ++i)
    for (int k = 0; k < g.slots.size(); ++k) {
      const bool found = kernel_ir::overlap(g, g.slots[i], g.slots[k]);
      const bool wanted = share(bytes[static_cast<std::size_t>(i)], bytes[static_cast<std::size_t>(k)]);
      // two flat views are of one arena, or of none in common
      if (g.slots[i].segments >= 0 && g.slots[k].segments >= 0)
        CHECK(found == (i == k));
      else
        CHECK(found == wanted);
      (wanted ? both : neither) += 1;
    }
  CHECK(both > 100);
  CHECK(neither > 100);
}

TEST_CASE("slot overlap: the index misses no state that overlaps") {
  Sample sample;
  ir::Builder& b = sample.b;
  const ir::Graph& g = b.graph;
  kernel_ir::StateIndex index(g);
  std::vector<int> states;
  for (int s = 0; s < g.slots.size(); ++s) {
    states.push_back(
        b.leaf(ir::Op::state, g.slots[s].dtype, Dims(g.shapes[g.slots[s].shape]), static_cast<u64>(s)));
    index.add(states.back());
  }
  index.sort();
  for (const ir::Slot& slot : g.slots) {
    std::set<int> near;
    index.each_near(slot, [&](int state) { CHECK(near.insert(state).second); });
    for (const int state : states)
      if (kernel_ir::overlap(g, index.slot_of(state), slot)) CHECK(near.count(state) == 1);
  }
}
