#pragma once
// Whether the rows that fill up a batch count in a result. Law: where padding_counts() says no, the result is
// the same whatever the padded rows of the inputs hold, labels aside: those hold padded_label there. It may
// say yes of a result that would be the same, never the other way round.

#include "weft/transforms/padding_analysis.hpp"

namespace WEFT_NAMESPACE::transforms {

inline constexpr i64 padded_label = -100;

// Whether an input's padded rows hold padded_label: it has labels, and is no index besides.
constexpr bool holds_padded_labels(const InputUse& use) { return use.is_label && !use.is_index; }
// Whether they are set before a program reads them; else they are the batch's: 0, or padded_label in what its
// loader takes for labels, which are signed integers.
constexpr bool padding_is_set(DType dtype, const InputUse& use) {
  return is_integer(dtype) && (use.is_index || use.is_label);
}

// Whether they may be either.
constexpr bool padding_is_open(DType dtype, const InputUse& use) {
  return is_integer(dtype) && dtype != DType::u8 && dtype != DType::u32 && !padding_is_set(dtype, use);
}

// Which input's padded rows hold padded_label among those that are open: all of them may, or one does.
inline constexpr int any_input = -1;

// What the nodes are of a graph all of whose inputs have `rows` rows, but for those of another first extent.
// `uses`: find_input_uses().
constexpr List<PaddedValue> padded_values(const ir::Graph& g, i64 rows, const InputUse* uses,
                                          int label = any_input) {
  List<PaddedValue> inputs;
  for (int k = 0; k < g.inputs.size(); ++k) {
    const int input = g.inputs[k];
    PaddedValue v;
    if (const Dims d = input < 0 ? Dims{} : g.dims(input); d.rank > 0 && d.extent[0] == rows) {
      const bool open = padding_is_open(g.nodes[input].dtype, uses[k]);
      const bool is_label = holds_padded_labels(uses[k]) || (open && k == label);
      v = {PaddedValue::by_row, d.size() / rows,
           Candidates::one(is_label ? static_cast<double>(padded_label) : 0.0)};
      if (open && label == any_input) v.candidates.add(static_cast<double>(padded_label));
    }
    inputs.push(v);
  }
  return PaddingAnalysis(g, rows).run(inputs);
}

constexpr bool counts_padding(const PaddedValue& v) {
  return v.kind != PaddedValue::untouched || v.total.kind == RowTotal::mean;
}
// Whether padded rows count in node `result`.
constexpr bool padding_counts(const ir::Graph& g, int result, i64 rows, const InputUse* uses,
                              int label = any_input) {
  return counts_padding(padded_values(g, rows, uses, label)[result]);
}
// The same of the buffers that a graph assigns.
constexpr bool padding_counts_in_buffers(const ir::Graph& g, i64 rows, const InputUse* uses,
                                         int label = any_input) {
  if (g.assigns.size() == 0) return false;
  const List<PaddedValue> values = padded_values(g, rows, uses, label);
  for (const ir::Assign& a : g.assigns)
    if (counts_padding(values[a.node])) return true;
  return false;
}

// Whether a value is certain to be no number in padded rows, where gradients that go through it are none,
// either.
constexpr bool padding_is_nan(const ir::Graph& g, i64 rows, const InputUse* uses) {
  for (const PaddedValue& v : padded_values(g, rows, uses))
    if (v.kind == PaddedValue::by_row && v.candidates.has_nan()) return true;
  return false;
}

}  // namespace WEFT_NAMESPACE::transforms
