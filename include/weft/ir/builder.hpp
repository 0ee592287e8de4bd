#pragma once
// The hash-consing builder: adding a node that is already there returns its number. It also folds what is
// decided locally (x + 0, x * 1, casts and views that change nothing, arithmetic on splat constants). Law:
// what has no elements, or is made of nothing else, is a constant, so no kernel reads or writes nothing.

#include <bit>
#include <limits>
#include <string_view>

#include "weft/core/error.hpp"
#include "weft/core/fold.hpp"
#include "weft/ir/draw.hpp"
#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::ir {

// The bits of a constant's value as kept in Node::imm.
constexpr u64 constant_bits(DType dtype, double value) {
  return is_float(dtype) ? std::bit_cast<u64>(value) : static_cast<u64>(static_cast<i64>(value));
}
constexpr double constant_value(DType dtype, u64 bits) {
  return is_float(dtype) ? std::bit_cast<double>(bits) : static_cast<double>(static_cast<i64>(bits));
}

// Which nodes of a graph that is gone on with are shared: all, or those without operands alone, for a graph
// whose arithmetic is not built again.
enum class Sharing : u8 { all, leaves };

class Builder;

// How one custom primitive on operands of given types is differentiated: from the gradient g of node y, those
// of its operands.
struct CustomGradient {
  u64 id = 0;
  bool (*matches)(const Graph& graph, int y) = nullptr;
  void (*gradient)(Builder& b, int y, int g, int* out) = nullptr;
};

// Why state that a function uses, or what it computes from numbers, has no value. Its read has a number of
// none of the slots then, and whoever traces refuses it.
enum class Valueless : u8 {
  none,
  no_member,  // no model holds the parameter or buffer
  of_blocks,  // it lies in each of several blocks, and is no tensor outside of them
  of_sample,  // a buffer is assigned what is each sample's of vmap
  of_while,   // a buffer is assigned in a trip that may not be made
  of_draw,    // random numbers of an expression made outside of a loop are drawn inside
  no_place,   // an index that is a number lies outside of its axis
  no_rate,    // a dropout's rate is no share
  one_value,  // a norm that learns from one value a channel
  no_fit,     // an integer is no number of the dtype of the tensor that it is written into
  no_share,   // a probability, a quantile's q or a smoothing lies outside of [0, 1]
  no_scale,   // a standard deviation is negative, or a rate or width not positive
  no_bounds,  // between randint's bounds lies no integer, or one that its dtype has not
};
constexpr u64 slot_without_value(Valueless why) { return ~u64{0} - static_cast<u64>(why); }
constexpr Valueless valueless(const Node& read) {
  const u64 why = ~u64{0} - read.imm;
  return why <= static_cast<u64>(Valueless::no_bounds) ? static_cast<Valueless>(why) : Valueless::none;
}

// A value that a model or a loss marks under a name.
struct Probe {
  std::string_view name;
  int node = -1;
};

class Builder {
 public:
  constexpr explicit Builder(int expected_nodes = 256) {
    table_ = List<int>(table_size(expected_nodes), -1);
    graph.nodes.reserve(expected_nodes);
  }
  // Goes on with a graph: what is in it is shared.
  constexpr explicit Builder(Graph&& started, Sharing sharing = Sharing::all) {
    graph = static_cast<Graph&&>(started);
    const int n = graph.nodes.size();
    int leaves = 0;
    for (int i = 0; i < n; ++i) leaves += graph.nodes.items[i].arity == 0;
    table_ = List<int>(table_size(sharing == Sharing::all ? 2 * n : leaves + 256), -1);
    enter_nodes(sharing);
    enter_shapes_and_lists();
  }
  // Starts a graph for what a pass makes of another's nodes: state, scalars and random streams are the same,
  // shapes and attribute lists keep their numbers. Nodes, results and the bodies of loops are up to the pass.
  constexpr Builder(const Graph& other, int expected_nodes) : Builder(expected_nodes) {
    graph.shapes = other.shapes;
    graph.lists = other.lists;
    graph.list_data = other.list_data;
    graph.slots = other.slots;
    graph.param_groups = other.param_groups;
    graph.ranges = other.ranges;
    graph.model_bytes = other.model_bytes;
    graph.optimizer_bytes = other.optimizer_bytes;
    graph.scalar_count = other.scalar_count;
    graph.presets = other.presets;
    graph.labels = other.labels;
    graph.streams = other.streams;
    graph.is_body = other.is_body;
    graph.biases_placed = other.biases_placed;
    graph.key_input = other.key_input;
    enter_shapes_and_lists();
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  constexpr ~Builder() { end_draws(); }

  Graph graph;

  // While a loop's body is traced: the trace around it, and the node there of each input that is an
  // invariant (-1: another input). `inner`: the body that is being traced inside this one.
  Builder* parent = nullptr;
  Builder* inner = nullptr;
  List<int> outer;
  // State that the body of a loop assigns, or reads as assigned so far: a carry in the end.
  struct CarriedSlot {
    int slot = -1;
    int input = -1;  // the body's
    int start = -1;  // what enters the loop, a node of `parent`
  };
  List<CarriedSlot> carried_slots;
  constexpr int carry_slot(int slot, int start) {
    const Node n = parent->graph.nodes[start];
    const Dims dims = parent->graph.dims(start);
    const int made = leaf(Op::input, n.dtype, dims, static_cast<u64>(graph.inputs.size()));
    graph.inputs.push(made);
    outer.push(-1);
    carried_slots.push({slot, made, start});
    return made;
  }
  constexpr bool carries_slot(int slot) const {
    for (const CarriedSlot& c : carried_slots)
      if (c.slot == slot) return true;
    return false;
  }

  // A trace of which only `parent` is asked: the trace that its values first meet.
  bool finds_parent = false;

  // Activation checkpointing: the gradient of a Stack keeps of its blocks, beside the carries, what `keeps`
  // says, in place of what kernels would store without a loop. (A flag: g++ 12 compares no function with null
  // in constant evaluation under -fsanitize=undefined.)
  bool recomputes = false;
  bool (*keeps)(const Graph& graph, int node) = nullptr;
  // Of the gradients of loops: whether products will be rounded to 16 bits (transforms/precision.hpp).
  bool rounds_products = false;

  // The gradients of the custom primitives that were used, kept by the outermost builder; `lender` has those
  // of a graph that is gone on with inside another trace.
  List<CustomGradient> custom_gradients;
  Builder* lender = nullptr;
  constexpr Builder& home() { return lender ? lender->home() : parent ? parent->home() : *this; }

  // Where probes are written down; null where nobody asked for any.
  List<Probe>* probes = nullptr;

  constexpr Builder& innermost() { return inner ? inner->innermost() : *this; }
  constexpr Builder& outermost() { return parent ? parent->outermost() : *this; }
  constexpr int depth() const { return parent ? parent->depth() + 1 : finds_parent ? 1 << 20 : 0; }
  // Whether values of `other` may be used here.
  constexpr bool is_inside(const Builder& other) const {
    return &other == this || (parent ? parent->is_inside(other) : finds_parent);
  }
  // Of a body whose trips are computed whether they are made or not: the node that says whether one is (one
  // bool). What is captured from then on has a gradient in the trips that are made alone.
  int made_if = -1;

  // The node that stands for `node` of an enclosing trace: an invariant of the loop.
  constexpr int import(Builder& from, int node) {
    if (&from == this) return node;
    const int found = imported(from, node);
    return made_if >= 0 && is_float(graph.nodes[found].dtype) ? slope_if(made_if, found) : found;
  }

  // The node that `draw` stands for; make() draws it where this is the first use.
  template <class Make>
  constexpr int drawn(Draw& draw, const Make& make) {
    if (draw.builder != nullptr && is_inside(*draw.builder)) return import(*draw.builder, draw.node);
    const int made = make();
    if (draw.builder != nullptr) {
      refuse_draw();  // in a body that is still traced, and here around it
    } else {
      ++draw.holders;
      draw.builder = this;
      draw.node = made;
      draw.next = draws_;
      draws_ = &draw;
    }
    return made;
  }

  constexpr int shape(const Dims& dims) {
    const int count = graph.shapes.size();
    if (4 * (count + 1) > 3 * shape_table_.size()) {
      shape_table_ = List<int>(table_size(2 * count), -1);
      for (int k = 0; k < count; ++k) enter(shape_table_, hash_extents(graph.shapes.items[k]), k);
    }
    int* const table = shape_table_.items;
    const u64 mask = static_cast<u64>(shape_table_.size() - 1);
    u64 at = hash_extents(dims) & mask;
    for (int found = table[at]; found >= 0; found = table[at]) {
      if (graph.shapes.items[found] == dims) return found;
      at = (at + 1) & mask;
    }
    graph.shapes.push(dims);
    if (dims.size() == 0) empties_ = true;
    table[at] = count;
    return count;
  }

  constexpr int list(const i64* data, int size) {
    const int count = graph.lists.size();
    if (4 * (count + 1) > 3 * list_table_.size()) {
      list_table_ = List<int>(table_size(2 * count), -1);
      for (int k = 0; k < count; ++k) enter(list_table_, hash_of_list(k), k);
    }
    int* const table = list_table_.items;
    const u64 mask = static_cast<u64>(list_table_.size() - 1);
    u64 at = hash_list(data, size) & mask;
    for (int found = table[at]; found >= 0; found = table[at]) {
      const Span span = graph.lists.items[found];
      const i64* const known = graph.list_data.items + span.begin;
      bool same = span.size == size;
      for (int i = 0; i < size && same; ++i) same = known[i] == data[i];
      if (same) return found;
      at = (at + 1) & mask;
    }
    graph.lists.push({graph.list_data.size(), size});
    graph.list_data.append(data, size);
    table[at] = count;
    return count;
  }

  // Adds a node as it stands, shared when an equal one exists.
  constexpr int add(Node node, const int* operands, int arity) {
    if (empties_ && arity > 0)
      if (const int folded = fold_empty(node, operands, arity); folded >= 0) return folded;
    node.arity = arity;
    const u64 mask = static_cast<u64>(table_.size() - 1);
    u64 at = hash(node, operands) & mask;
    const int* const table = table_.items;
    const Node* const nodes = graph.nodes.items;
    for (int found = table[at]; found >= 0; found = table[at]) {
      if (same(nodes[found], node, operands)) return found;
      at = (at + 1) & mask;
    }
    node.first = graph.edges.size();
    graph.edges.append(operands, arity);
    const int number = graph.nodes.size();
    graph.nodes.push(node);
    table_.items[at] = number;
    if (4 * ++entered_ > 3 * table_.size()) widen();
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
  constexpr int imported(Builder& from, int node) {
    if (!parent && finds_parent) parent = &from;
    if (from.finds_parent) {  // nobody will read what is made of it
      if (!from.parent) from.parent = this;
      return constant(from.graph.nodes[node].dtype, from.graph.dims(node), 0);
    }
    if (!parent) throw Error("ir/builder", "a value of another trace");
    const int there = parent->import(from, node);
    const Node n = parent->graph.nodes[there];
    const Dims dims = parent->graph.dims(there);
    if (n.op == Op::constant || n.op == Op::iota) return leaf(n.op, n.dtype, dims, n.imm);
    for (int k = 0; k < outer.size(); ++k)
      if (outer[k] == there) return graph.inputs[k];
    const int made = leaf(Op::input, n.dtype, dims, static_cast<u64>(graph.inputs.size()));
    graph.inputs.push(made);
    outer.push(there);
    return made;
  }
  // x, with a gradient where `condition`, one bool, holds: as it is chosen, and not multiplied, it is zero
  // elsewhere even of a slope that is not finite.
  constexpr int slope_if(int condition, int x) {
    const Node of = graph.nodes[x];
    if (of.op == Op::constant || of.op == Op::iota) return x;
    Node node{Op::broadcast, DType::boolean};
    node.shape = of.shape;
    const int all = graph.nodes[condition].shape == of.shape ? condition : add(node, &condition, 1);
    node.dtype = of.dtype;
    const int chosen[3]{all, x, constant(of.dtype, of.shape, 0)};
    node.op = Op::select;
    const int model[2]{x, add(node, chosen, 3)};
    node.op = Op::surrogate;
    return add(node, model, 2);
  }
  // The constant that a node is whose result, or an operand, has no elements; -1 where there is none.
  // (Attributes of scatter_reduce: ir/along_axis.hpp.)
  constexpr int fold_empty(const Node& node, const int* operands, int arity) {
    if (is_region(node.op) || node.op == Op::flat_concat) return -1;
    if (graph.shapes.items[node.shape].size() == 0) return constant(node.dtype, node.shape, 0);
    bool empty = false;
    for (int k = 0; k < arity; ++k) empty = empty || graph.dims(operands[k]).size() == 0;
    if (!empty) return -1;
    double value = 0;
    switch (node.op) {
      case Op::pad:
        return constant(node.dtype, node.shape, node.imm);
      case Op::reduce_prod:
        value = 1;
        break;
      case Op::reduce_max:
      case Op::reduce_min:
        value = bound_of(node.dtype, node.op == Op::reduce_min);
        break;
      case Op::scatter_reduce: {
        const auto fold = static_cast<Fold>(graph.list_data.items[graph.lists.items[node.list].begin + 1]);
        value = fold == Fold::prod ? 1 : fold == Fold::sum ? 0 : bound_of(node.dtype, fold == Fold::min);
        break;
      }
      case Op::take_rows:
      case Op::take_along_axis:
        value = is_float(node.dtype) ? std::numeric_limits<double>::quiet_NaN() : 0;
        break;
      case Op::reduce_sum:
      case Op::argmax:
      case Op::argmin:
      case Op::dot:
      case Op::conv:
      case Op::scatter_add:
      case Op::searchsorted:
        break;
      default:
        return -1;
    }
    return constant(node.dtype, node.shape, constant_bits(node.dtype, value));
  }
  // What no element lies beyond.
  static constexpr double bound_of(DType t, bool highest) {
    if (is_float(t)) return (highest ? 1 : -1) * std::numeric_limits<double>::infinity();
    const double most = t == DType::i64 ? 9223372036854774784.0 : 2147483647.0;
    return highest ? most : -most - 1;
  }

  // A power of two with room for so many entries.
  static constexpr int table_size(int entries) {
    int size = 64;
    while (3 * size < 4 * (entries + 1)) size *= 2;
    return size;
  }
  // Polynomials in small numbers: constant evaluation is slow with large ones.
  static constexpr u64 hash_extents(const Dims& d) {
    u64 h = static_cast<u64>(d.rank);
    for (int i = 0; i < d.rank; ++i) h = h * 37 + static_cast<u64>(d.extent[i] % 65521);
    return h ^ h >> 11;
  }
  static constexpr u64 hash_list(const i64* data, int size) {
    u64 h = static_cast<u64>(size);
    for (int i = 0; i < size; ++i) h = (h * 131 + static_cast<u64>(data[i])) % 16777213;
    return h ^ h >> 9;
  }
  constexpr u64 hash_of_list(int k) const {
    const Span span = graph.lists.items[k];
    return hash_list(graph.list_data.items + span.begin, span.size);
  }
  static constexpr u64 hash(const Node& n, const int* operands) {
    u64 h = static_cast<u64>(n.op) + static_cast<u64>(n.shape) * 157 + static_cast<u64>(n.list + 1) * 1009 +
            static_cast<u64>(n.dtype) * 7919 + n.imm % 16777213;
    for (int i = 0; i < n.arity; ++i) h = (h * 131 + static_cast<u64>(operands[i])) % 16777213;
    // numbers that grow evenly would lie side by side in the table: Knuth's multiplier spreads them
    return h * 2654435761 >> 20;
  }
  static constexpr void enter(List<int>& table, u64 h, int number) {
    const u64 mask = static_cast<u64>(table.size() - 1);
    u64 at = h & mask;
    while (table.items[at] >= 0) at = (at + 1) & mask;
    table.items[at] = number;
  }
  constexpr bool same(const Node& a, const Node& b, const int* operands) const {
    if (a.op != b.op || a.dtype != b.dtype || a.shape != b.shape || a.list != b.list || a.imm != b.imm ||
        a.arity != b.arity)
      return false;
    const int* edges = graph.edges.items + a.first;
    for (int i = 0; i < b.arity; ++i)
      if (edges[i] != operands[i]) return false;
    return true;
  }
  constexpr void enter_shapes_and_lists() {
    shape_table_ = List<int>(table_size(graph.shapes.size()), -1);
    for (int k = 0; k < graph.shapes.size(); ++k) {
      enter(shape_table_, hash_extents(graph.shapes.items[k]), k);
      if (graph.shapes.items[k].size() == 0) empties_ = true;
    }
    list_table_ = List<int>(table_size(graph.lists.size()), -1);
    for (int k = 0; k < graph.lists.size(); ++k) enter(list_table_, hash_of_list(k), k);
  }
  constexpr void widen() {
    List<int> wider(table_.size() * 2, -1);
    const u64 mask = static_cast<u64>(wider.size() - 1);
    for (int number : table_) {
      if (number < 0) continue;
      const Node& node = graph.nodes.items[number];
      u64 at = hash(node, graph.edges.items + node.first) & mask;
      while (wider.items[at] >= 0) at = (at + 1) & mask;
      wider.items[at] = number;
    }
    table_ = static_cast<List<int>&&>(wider);
  }
  constexpr void enter_nodes(Sharing sharing) {
    const u64 mask = static_cast<u64>(table_.size() - 1);
    int* const table = table_.items;
    const Node* const nodes = graph.nodes.items;
    const int* const edges = graph.edges.items;
    const int n = graph.nodes.size();
    entered_ = 0;
    for (int i = 0; i < n; ++i) {
      if (sharing == Sharing::leaves && nodes[i].arity > 0) continue;
      u64 at = hash(nodes[i], edges + nodes[i].first) & mask;
      while (table[at] >= 0) at = (at + 1) & mask;
      table[at] = i;
      ++entered_;
    }
  }

  // Who still holds what a body has drawn has made it outside, for one value: there would be one a trip.
  constexpr void end_draws() {
    for (Draw* draw = draws_; draw != nullptr;) {
      Draw* const next = draw->next;
      draw->builder = nullptr;
      if (DrawHandle::release(draw) && parent) refuse_draw();
      draw = next;
    }
  }
  constexpr void refuse_draw() {
    Builder& out = outermost();
    out.graph.outputs.push(out.leaf(Op::state, DType::f32, Dims{}, slot_without_value(Valueless::of_draw)));
  }

  List<int> table_;
  int entered_ = 0;
  Draw* draws_ = nullptr;
  bool empties_ = false;  // some shape has no elements
  List<int> shape_table_;
  List<int> list_table_;
};

}  // namespace WEFT_NAMESPACE::ir
