#pragma once
// What is legal in the tables that a graph's nodes refer to: shapes, attribute lists, parameter groups,
// presets and slots.

#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::ir {

// The first thing that is wrong, null where nothing is.
constexpr const char* table_fault(const Graph& g) {
  for (const Dims& d : g.shapes) {
    if (d.rank < 0 || d.rank > max_rank) return "a shape's rank is outside [0, 8]";
    for (int k = 0; k < d.rank; ++k)
      if (d.extent[k] < 0) return "a shape has a negative extent";
  }
  for (const Span& s : g.lists)
    if (s.begin < 0 || s.size < 0 || s.begin + s.size > g.list_data.size())
      return "an attribute list lies outside its data";
  for (const Span& s : g.param_groups) {
    if (s.begin < 0 || s.size < 0 || s.begin + s.size > g.ranges.size())
      return "a parameter group lies outside its ranges";
    i64 end = 0;
    for (int r = 0; r < s.size; ++r) {
      const Range& range = g.ranges[s.begin + r];
      if (range.offset < end || range.length <= 0)
        return "a parameter group's ranges overlap or are out of order";
      end = range.offset + range.length;
    }
  }
  for (const Preset& p : g.presets)
    if (p.scalar < 0 || p.scalar >= g.scalar_count) return "a preset run-time scalar does not exist";
  for (const Slot& s : g.slots) {
    if (s.shape < 0 || s.shape >= g.shapes.size()) return "a slot's shape does not exist";
    if (s.space != Space::model && s.space != Space::optimizer)
      return "a slot lies in neither the model's nor the optimiser's block";
    const i64 unit = size_of(s.dtype), elements = g.shapes[s.shape].size();
    i64 end = elements;
    if (s.segments >= g.param_groups.size()) return "a slot's parameter group does not exist";
    if (s.segments >= 0) {
      const Span span = g.param_groups[s.segments];
      i64 length = 0;
      for (int r = 0; r < span.size; ++r) length += g.ranges[span.begin + r].length;
      if (length != elements) return "a slot's extent is not its parameter group's length";
      if (span.size > 0)
        end = g.ranges[span.begin + span.size - 1].offset + g.ranges[span.begin + span.size - 1].length;
    }
    if (s.offset < 0 || s.offset % unit != 0) return "a slot is not aligned to its dtype";
    if (s.offset + end * unit > (s.space == Space::model ? g.model_bytes : g.optimizer_bytes))
      return "a slot reaches beyond its block";
  }
  return nullptr;
}

}  // namespace WEFT_NAMESPACE::ir
