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

// Where the outputs' values come from, and where their gradients by parameters go. Of a condition that is
// known the value comes from what it chooses, and the gradient goes through both.
struct Reached {
  List<u8> by_values, by_gradients;

  constexpr Reached(const ir::Graph& g, const List<PaddedValue>& values)
      : by_values(g.nodes.size(), 0), by_gradients(g.nodes.size(), 0) {
    const int n = g.nodes.size();
    List<u8> depends(n, 0);
    for (int i = 0; i < n; ++i) {
      const ir::Node& node = g.nodes.items[i];
      depends.items[i] = node.op == ir::Op::state && is_float(node.dtype);
      for (int k = 0; k < node.arity; ++k) depends.items[i] |= depends.items[g.in(i, k)];
    }
    for (const int output : g.outputs) by_values.items[output] = by_gradients.items[output] = 1;
    for (int i = n - 1; i >= 0; --i) {
      const ir::Node& node = g.nodes.items[i];
      if (!is_float(node.dtype) && !ir::is_region(node.op)) continue;
      const bool chooses = node.op == ir::Op::select;
      for (int k = 0; k < node.arity; ++k) {
        const int x = g.in(i, k);
        const bool left_out = chooses && k > 0 && !may_choose(values[g.in(i, 0)].candidates, k == 1);
        if (by_values.items[i] && !left_out) by_values.items[x] = 1;
        const bool value_alone = node.op == ir::Op::stop_gradient || (chooses && k == 0) ||
                                 (node.op == ir::Op::surrogate && k == 0) ||
                                 (node.op == ir::Op::slope && k == 2);
        if (by_gradients.items[i] && !value_alone) by_gradients.items[x] = 1;
      }
    }
    for (int i = 0; i < n; ++i) by_gradients.items[i] &= depends.items[i];
  }

 private:
  static constexpr bool may_choose(const Candidates& condition, bool first) {
    for (int c = 0; c < condition.count; ++c)
      if ((condition.at[c] != 0) == first) return true;
    return !condition.known();
  }
};

// Whether a value that counts, or the derivative of one by parameters, is certain to be no number in padded
// rows: the gradient is none, either.
constexpr bool padding_is_nan(const ir::Graph& g, i64 rows, const InputUse* uses) {
  const List<PaddedValue> values = padded_values(g, rows, uses);
  const Reached reached(g, values);
  for (int i = 0; i < g.nodes.size(); ++i) {
    const PaddedValue& v = values[i];
    if (v.kind != PaddedValue::by_row) continue;
    const bool passed = reached.by_gradients[i] != 0;
    if (v.candidates.has_nan() && (passed || reached.by_values[i])) return true;
    // the square root of a parameter's function that is 0 has an infinite derivative
    if (passed && g.nodes.items[i].op == ir::Op::sqrt && v.candidates.only(0)) return true;
  }
  return false;
}

}  // namespace WEFT_NAMESPACE::transforms
