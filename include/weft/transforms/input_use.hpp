#pragma once
// What the integer inputs of a graph stand for: places in a table or along an axis, or labels of classes.
// Law: an input that is read as it stands, or cast, reshaped, permuted or broadcast, is found; what is
// computed from one is not.

#include "weft/ir/along_axis.hpp"

namespace WEFT_NAMESPACE::transforms {

struct InputUse {
  // As places: those that there are.
  bool is_index = false;
  i64 least = INT64_MIN, most = INT64_MAX;
  // As labels of [0, classes); 0: of how many is not known.
  bool is_label = false;
  i64 classes = 0;
  bool negatives = false;  // count for nothing, whichever they are
  i64 ignored = 0;
};

// Of input `number` in a graph that is traced or pruned.
constexpr int input_behind(const ir::Graph& g, int node) {
  while (true) {
    const ir::Node& n = g.nodes.items[node];
    if (n.op == ir::Op::input) return static_cast<int>(n.imm);
    if (n.op != ir::Op::cast && n.op != ir::Op::reshape && n.op != ir::Op::permute &&
        n.op != ir::Op::broadcast)
      return -1;
    node = g.edges.items[n.first];
  }
}

// Of every input: uses[g.inputs.size()].
constexpr void find_input_uses(const ir::Graph& g, InputUse* uses) {
  const auto index = [&](int node, i64 least, i64 most) {
    const int input = input_behind(g, node);
    if (input < 0) return;
    InputUse& use = uses[input];
    use.is_index = true;
    if (use.least < least) use.least = least;
    if (use.most > most) use.most = most;
  };
  for (int i = 0; i < g.nodes.size(); ++i) {
    const ir::Op op = g.nodes.items[i].op;
    if (op == ir::Op::take_rows) index(g.in(i, 1), 0, g.dims(g.in(i, 0)).extent[0] - 1);
    if (op == ir::Op::take_along_axis) {
      const i64 extent = g.dims(g.in(i, 0)).extent[ir::axis_of(g, i)];
      index(g.in(i, 1), -extent, extent - 1);
    }
  }
  for (const ir::Labels& l : g.labels) {
    InputUse& use = uses[l.input];
    const bool tighter = l.classes > 0 && (use.classes == 0 || l.classes < use.classes);
    if (!use.is_label || tighter) {
      use.classes = l.classes;
      use.negatives = l.negatives;
      use.ignored = l.ignored;
    }
    use.is_label = true;
  }
}

}  // namespace WEFT_NAMESPACE::transforms
