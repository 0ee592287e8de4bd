#pragma once
// Which functions a graph needs: one for every kind of node, as a word.
// Law: only kinds that occur in a graph, or in a body of its loops, are compiled for it.

#include "weft/core/constexpr_stage.hpp"
#include "weft/ir/along_axis.hpp"
#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::exec {

// Operation, dtype of the result, dtype that is worked on, fold; as a word 0: no function is needed.
struct NodeKind {
  ir::Op op{};
  DType to{}, from{};
  ir::Fold fold{};

  constexpr u64 word() const {
    return static_cast<u64>(op) | static_cast<u64>(to) << 8 | static_cast<u64>(from) << 16 |
           static_cast<u64>(fold) << 24;
  }
  static constexpr NodeKind of(u64 word) {
    return {static_cast<ir::Op>(word & 255), static_cast<DType>(word >> 8 & 255),
            static_cast<DType>(word >> 16 & 255), static_cast<ir::Fold>(word >> 24 & 255)};
  }
};

// Operations that a function of their own evaluates, whatever the dtypes; the runner evaluates loops, and
// leaves that lie in memory.
constexpr bool has_one_function(ir::Op op) {
  using ir::Op;
  return op == Op::constant || op == Op::iota || op == Op::bitcast || op == Op::stop_gradient ||
         op == Op::surrogate || op == Op::slope || op == Op::f8_gradient || op == Op::select ||
         ir::is_movement(op) || op == Op::take_rows || ir::is_dynamic_slice(op) ||
         op == Op::take_along_axis || op == Op::flat_concat || op == Op::flat_slice;
}
constexpr bool has_functions(ir::Op op) {
  using ir::Op;
  return ir::is_pointwise(op) || ir::is_reduction(op) || op == Op::dot || op == Op::conv ||
         op == Op::scatter_add || ir::is_along_axis(op);
}

constexpr u64 node_kind(const ir::Graph& g, int i) {
  using ir::Op;
  const ir::Node& n = g.nodes.items[i];
  if (has_one_function(n.op)) return NodeKind{n.op, {}, {}, {}}.word();
  if (!has_functions(n.op)) return 0;
  NodeKind kind{n.op, n.dtype, g.nodes.items[g.in(i, 0)].dtype, {}};
  if (n.op == Op::scatter_add || n.op == Op::scatter_reduce) kind.from = n.dtype;  // an index of any dtype
  if (n.op == Op::scan) kind.fold = static_cast<ir::Fold>(g.attribute(i, 2));
  if (n.op == Op::scatter_reduce) kind.fold = static_cast<ir::Fold>(g.attribute(i, 1));
  return kind.word();
}

// A custom primitive's id, whether it stands for a missing gradient, how many tensors, their dtypes: the
// result's, the operands'.
constexpr void custom_words(List<u64>& words, const ir::Graph& g, int i) {
  const ir::Node& n = g.nodes[i];
  words.push(n.imm);
  words.push(static_cast<u64>(g.attribute(i, 0)));
  words.push(static_cast<u64>(n.arity + 1));
  words.push(static_cast<u64>(n.dtype));
  for (int k = 0; k < n.arity; ++k) words.push(static_cast<u64>(g.nodes[g.in(i, k)].dtype));
}
// Where these words stand among those of all; -1: nowhere.
constexpr int find_custom(const u64* all, int size, const List<u64>& words) {
  for (int at = 0; at < size; at += 3 + static_cast<int>(all[at + 2])) {
    bool same = true;
    for (int k = 0; k < words.size() && same; ++k) same = all[at + k] == words[k];
    if (same) return at;
  }
  return -1;
}

// The kinds of a graph and of its loops' bodies, each once, and the words of its custom primitives.
class KindList {
 public:
  constexpr void add(const ir::Graph& g) {
    List<u64> words;
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (g.nodes.items[i].op == ir::Op::custom) {
        words.clear();
        custom_words(words, g, i);
        if (find_custom(customs.data(), customs.size(), words) < 0)
          customs.append(words.data(), words.size());
      } else {
        add_kind(node_kind(g, i));
      }
    }
    for (const ir::Span& body : g.bodies) add(ir::thaw(g.body_words.data() + body.begin));
  }

  List<u64> kinds, customs;

 private:
  constexpr void add_kind(u64 kind) {
    if (kind == 0) return;
    u32 at = static_cast<u32>(kind * 0x9e3779b97f4a7c15u >> 54);
    while (table_[at] != 0 && table_[at] != kind) at = (at + 1) & (room - 1);
    if (table_[at] == kind) return;
    table_[at] = kind;
    kinds.push(kind);
  }
  static constexpr u32 room = 1024;  // more than there are kinds in any graph, which an array would tell
  u64 table_[room]{};
};

// Stage::graph() as the words that a program for the interpreter is compiled from: how many kinds, the kinds,
// those of custom primitives.
template <class Pruned>
struct KindStage {
  static constexpr int capacity = 512;
  static constexpr void write(WordWriter& w) {
    KindList list;
    list.add(Pruned::graph());
    w.put_int(list.kinds.size());
    w.put_all(list.kinds.data(), list.kinds.size());
    w.put_all(list.customs.data(), list.customs.size());
  }
};

}  // namespace WEFT_NAMESPACE::exec
