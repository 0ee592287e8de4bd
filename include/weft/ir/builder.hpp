#pragma once
// The hash-consing builder: adding a node that is already there returns its number. It also folds what is
// decided locally (x + 0, x * 1, casts and views that change nothing, arithmetic on splat constants).

#include <bit>

#include "weft/core/error.hpp"
#include "weft/ir/graph.hpp"

namespace weft::ir {

// The bits of a constant's value as kept in Node::imm.
constexpr u64 constant_bits(DType dtype, double value) {
  return is_float(dtype) ? std::bit_cast<u64>(value) : static_cast<u64>(static_cast<i64>(value));
}
constexpr double constant_value(DType dtype, u64 bits) {
  return is_float(dtype) ? std::bit_cast<double>(bits) : static_cast<double>(static_cast<i64>(bits));
}

class Builder {
  // First in the class: clang evaluates a constant before it instantiates a template whose body comes later.
  template <class Same, class Push, class Hash>
  static constexpr int intern(List<int>& table, u64 h, int count, Same same, Push push, Hash hash_of) {
    if (4 * (count + 1) > 3 * table.size()) {
      table = List<int>(table.size() < 64 ? 64 : table.size() * 2, -1);
      const u64 mask = static_cast<u64>(table.size() - 1);
      for (int k = 0; k < count; ++k) {
        u64 at = hash_of(k) & mask;
        while (table[static_cast<int>(at)] >= 0) at = (at + 1) & mask;
        table[static_cast<int>(at)] = k;
      }
    }
    const u64 mask = static_cast<u64>(table.size() - 1);
    u64 at = h & mask;
    for (int found = table[static_cast<int>(at)]; found >= 0; found = table[static_cast<int>(at)]) {
      if (same(found)) return found;
      at = (at + 1) & mask;
    }
    push();
    table[static_cast<int>(at)] = count;
    return count;
  }

 public:
  constexpr explicit Builder(int expected_nodes = 256) {
    int size = 64;
    while (size < 2 * expected_nodes) size *= 2;
    table_ = List<int>(size, -1);
    graph.nodes.reserve(expected_nodes);
  }
  // Goes on with a graph: what is in it is shared.
  constexpr explicit Builder(Graph&& started) : Builder(2 * started.nodes.size()) {
    graph = static_cast<Graph&&>(started);
    fill_table();
    const List<Dims> shapes = graph.shapes;
    graph.shapes.clear();
    for (const Dims& d : shapes) shape(d);
    const List<Span> lists = graph.lists;
    const List<i64> data = graph.list_data;
    graph.lists.clear();
    graph.list_data.clear();
    for (const Span& span : lists) list(data.data() + span.begin, span.size);
  }

  Graph graph;

  constexpr int shape(const Dims& dims) {
    u64 h = static_cast<u64>(dims.rank) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < dims.rank; ++i)
      h = (h ^ static_cast<u64>(dims.extent[i])) * 0xff51afd7ed558ccdull, h ^= h >> 29;
    return intern(
        shape_table_, h, graph.shapes.size(), [&](int k) { return graph.shapes[k] == dims; },
        [&] { graph.shapes.push(dims); },
        [&](int k) {
          u64 g = static_cast<u64>(graph.shapes[k].rank) * 0x9e3779b97f4a7c15ull;
          for (int i = 0; i < graph.shapes[k].rank; ++i)
            g = (g ^ static_cast<u64>(graph.shapes[k].extent[i])) * 0xff51afd7ed558ccdull, g ^= g >> 29;
          return g;
        });
  }

  constexpr int list(const i64* data, int size) {
    u64 h = hash_list(data, size);
    return intern(
        list_table_, h, graph.lists.size(),
        [&](int k) {
          const Span span = graph.lists[k];
          if (span.size != size) return false;
          for (int i = 0; i < size; ++i)
            if (graph.list_data[span.begin + i] != data[i]) return false;
          return true;
        },
        [&] {
          graph.lists.push({graph.list_data.size(), size});
          for (int i = 0; i < size; ++i) graph.list_data.push(data[i]);
        },
        [&](int k) { return hash_list(graph.list_data.data() + graph.lists[k].begin, graph.lists[k].size); });
  }

  // Adds a node as it stands, shared when an equal one exists.
  constexpr int add(Node node, const int* operands, int arity) {
    node.arity = arity;
    const u64 h = hash(node, operands);
    u64 mask = static_cast<u64>(table_.size() - 1);
    u64 at = h & mask;
    const Node* nodes = graph.nodes.data();
    for (int found = table_[static_cast<int>(at)]; found >= 0; found = table_[static_cast<int>(at)]) {
      if (same(nodes[found], node, operands)) return found;
      at = (at + 1) & mask;
    }
    node.first = graph.edges.size();
    for (int i = 0; i < arity; ++i) graph.edges.push(operands[i]);
    const int number = graph.nodes.size();
    graph.nodes.push(node);
    table_[static_cast<int>(at)] = number;
    if (2 * (number + 1) > table_.size()) rehash();
    return number;
  }

  constexpr int leaf(Op op, DType dtype, const Dims& dims, u64 imm) {
    Node node{op, dtype};
    node.shape = shape(dims);
    node.imm = imm;
    return add(node, nullptr, 0);
  }
  constexpr int constant(DType dtype, int shape_number, u64 bits) {
    Node node{Op::constant, dtype};
    node.shape = shape_number;
    node.imm = bits;
    return add(node, nullptr, 0);
  }
  constexpr int constant(DType dtype, const Dims& dims, double value) {
    return constant(dtype, shape(dims), constant_bits(dtype, value));
  }

  constexpr bool is_constant(int node) const { return graph.nodes[node].op == Op::constant; }
  constexpr bool is_constant(int node, double value) const {
    const Node& n = graph.nodes[node];
    return n.op == Op::constant && constant_value(n.dtype, n.imm) == value;
  }

 private:
  static constexpr u64 mix(u64 h, u64 v) { return (h ^ (h >> 31) ^ v) * 0x9e3779b97f4a7c15ull; }
  static constexpr u64 hash_list(const i64* data, int size) {
    u64 h = static_cast<u64>(size);
    for (int i = 0; i < size; ++i) h = mix(h, static_cast<u64>(data[i]));
    return h ^ (h >> 29);
  }
  static constexpr u64 hash(const Node& n, const int* operands) {
    u64 h = mix(static_cast<u64>(n.op) | static_cast<u64>(n.dtype) << 8 |
                    static_cast<u64>(n.recompute) << 16 | static_cast<u64>(n.shape) << 32,
                n.imm ^ static_cast<u64>(n.list + 1) << 40);
    for (int i = 0; i < n.arity; ++i) h = mix(h, static_cast<u64>(operands[i]));
    return h ^ (h >> 29);
  }
  constexpr bool same(const Node& a, const Node& b, const int* operands) const {
    if (a.op != b.op || a.dtype != b.dtype || a.shape != b.shape || a.list != b.list || a.imm != b.imm ||
        a.arity != b.arity || a.recompute != b.recompute)
      return false;
    const int* edges = graph.edges.data() + a.first;
    for (int i = 0; i < b.arity; ++i)
      if (edges[i] != operands[i]) return false;
    return true;
  }
  constexpr void rehash() {
    table_ = List<int>(table_.size() * 2, -1);
    fill_table();
  }
  constexpr void fill_table() {
    const u64 mask = static_cast<u64>(table_.size() - 1);
    for (int i = 0; i < graph.nodes.size(); ++i) {
      u64 at = hash(graph.nodes[i], graph.edges.data() + graph.nodes[i].first) & mask;
      while (table_[static_cast<int>(at)] >= 0) at = (at + 1) & mask;
      table_[static_cast<int>(at)] = i;
    }
  }
  List<int> table_;
  List<int> shape_table_;
  List<int> list_table_;
};

}  // namespace weft::ir
