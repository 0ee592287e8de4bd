#pragma once
// A graph as words, which one constant evaluation leaves to the next; and back: as a graph of its own, to be
// changed, or as constant arrays that later evaluations read where they lie.

#include <bit>

#include "weft/core/constexpr_stage.hpp"
#include "weft/ir/graph.hpp"

namespace WEFT_NAMESPACE::ir {

// How many of each a graph has, in the order of its words.
struct GraphSizes {
  int nodes = 0, edges = 0, shapes = 0, lists = 0, list_data = 0, slots = 0, param_groups = 0, ranges = 0,
      presets = 0, inputs = 0, outputs = 0, labels = 0, assigns = 0, bodies = 0, body_words = 0;
};

inline constexpr int node_words = 4;

constexpr void write(WordWriter& w, const Graph& g) {
  for (const int n :
       {g.nodes.size(), g.edges.size(), g.shapes.size(), g.lists.size(), g.list_data.size(), g.slots.size(),
        g.param_groups.size(), g.ranges.size(), g.presets.size(), g.inputs.size(), g.outputs.size(),
        g.labels.size(), g.assigns.size(), g.bodies.size(), g.body_words.size()})
    w.put_int(n);
  w.put_int(g.model_bytes);
  w.put_int(g.optimizer_bytes);
  w.put_pair(g.scalar_count, g.streams);
  const Node* const nodes = g.nodes.data();
  const int node_count = g.nodes.size();
  u64* at = w.claim(node_words * node_count);
  for (int i = 0; at != nullptr && i < node_count; ++i) {
    const Node& n = nodes[i];
    at[0] = static_cast<u64>(n.op) | static_cast<u64>(n.dtype) << 8 | static_cast<u64>(n.arity) << 32;
    at[1] = static_cast<u64>(n.shape) | static_cast<u64>(n.list + 1) << 32;
    at[2] = static_cast<u64>(n.first);
    at[3] = n.imm;
    at += node_words;
  }
  const int* const edges = g.edges.data();
  const int edge_count = g.edges.size();
  at = w.claim(edge_count);
  for (int k = 0; at != nullptr && k < edge_count; ++k) at[k] = static_cast<u64>(edges[k]);
  for (const Dims& d : g.shapes) {
    w.put_int(d.rank);
    for (int k = 0; k < d.rank; ++k) w.put_int(d.extent[k]);
  }
  for (const Span& s : g.lists) w.put_pair(s.begin, s.size);
  for (i64 x : g.list_data) w.put_int(x);
  for (const Slot& s : g.slots) {
    w.put(static_cast<u64>(s.space) | static_cast<u64>(s.dtype) << 8 |
          static_cast<u64>(static_cast<u32>(s.shape)) << 16);
    w.put_int(s.segments);
    w.put_int(s.offset);
  }
  for (const Span& s : g.param_groups) w.put_pair(s.begin, s.size);
  for (const Range& r : g.ranges) w.put_int(r.offset), w.put_int(r.length);
  for (const Preset& p : g.presets) w.put_pair(p.scalar, std::bit_cast<int>(p.value));
  for (int x : g.inputs) w.put_int(x);
  for (int x : g.outputs) w.put_int(x);
  for (const Labels& l : g.labels)
    w.put_pair(l.input, l.negatives), w.put_int(l.classes), w.put_int(l.ignored);
  for (const Assign& a : g.assigns) w.put_pair(a.slot, a.node);
  w.put_pair((g.is_body ? 1 : 0) + (g.biases_placed ? 2 : 0), g.key_input);
  for (const Span& s : g.bodies) w.put_pair(s.begin, s.size);
  for (u64 x : g.body_words) w.put(x);
}

constexpr GraphSizes read_sizes(WordReader& r) {
  GraphSizes s;
  for (int* n : {&s.nodes, &s.edges, &s.shapes, &s.lists, &s.list_data, &s.slots, &s.param_groups, &s.ranges,
                 &s.presets, &s.inputs, &s.outputs, &s.labels, &s.assigns, &s.bodies, &s.body_words})
    *n = r.get_size();
  return s;
}

// Where an array or a list begins: constant evaluation pays for every call that a subscript would be.
template <class T>
constexpr T* begin_of(List<T>& list) {
  return list.data();
}
template <class T, int N>
constexpr T* begin_of(T (&array)[N]) {
  return array;
}

// Reads what follows the sizes into `to`, whose members are arrays of those lengths.
template <class Arrays>
constexpr void read_graph(WordReader& r, const GraphSizes& sizes, Arrays& to) {
  using R = WordReader;
  to.model_bytes = r.get_int();
  to.optimizer_bytes = r.get_int();
  const u64 counts = r.get();
  to.scalar_count = R::low(counts);
  to.streams = R::high(counts);
  Node* const nodes = begin_of(to.nodes);
  const u64* from = r.take(node_words * sizes.nodes);
  for (int k = 0; k < sizes.nodes; ++k, from += node_words) {
    const u64 a = from[0], b = from[1];
    Node& n = nodes[k];
    n.op = static_cast<Op>(a & 255);
    n.dtype = static_cast<DType>(a >> 8 & 255);
    n.arity = static_cast<int>(a >> 32);
    n.shape = static_cast<int>(b & 0xffffffff);
    n.list = static_cast<int>(b >> 32) - 1;
    n.first = static_cast<int>(from[2]);
    n.imm = from[3];
  }
  int* const edges = begin_of(to.edges);
  from = r.take(sizes.edges);
  for (int k = 0; k < sizes.edges; ++k) edges[k] = static_cast<int>(from[k]);
  for (int k = 0; k < sizes.shapes; ++k) {
    Dims& d = to.shapes[k];
    d.rank = r.get_size();
    for (int a = 0; a < d.rank; ++a) d.extent[a] = r.get_int();
  }
  const auto pair = [&](int& first, int& second) {
    const u64 w = r.get();
    first = R::low(w);
    second = R::high(w);
  };
  for (int k = 0; k < sizes.lists; ++k) pair(to.lists[k].begin, to.lists[k].size);
  for (int k = 0; k < sizes.list_data; ++k) to.list_data[k] = r.get_int();
  for (int k = 0; k < sizes.slots; ++k) {
    Slot& s = to.slots[k];
    const u64 w = r.get();
    s.space = static_cast<Space>(w & 255);
    s.dtype = static_cast<DType>(w >> 8 & 255);
    s.shape = static_cast<int>(w >> 16);
    s.segments = static_cast<int>(r.get_int());
    s.offset = r.get_int();
  }
  for (int k = 0; k < sizes.param_groups; ++k) pair(to.param_groups[k].begin, to.param_groups[k].size);
  for (int k = 0; k < sizes.ranges; ++k) to.ranges[k].offset = r.get_int(), to.ranges[k].length = r.get_int();
  for (int k = 0; k < sizes.presets; ++k) {
    const u64 w = r.get();
    to.presets[k] = {R::low(w), std::bit_cast<f32>(R::high(w))};
  }
  for (int k = 0; k < sizes.inputs; ++k) to.inputs[k] = static_cast<int>(r.get_int());
  for (int k = 0; k < sizes.outputs; ++k) to.outputs[k] = static_cast<int>(r.get_int());
  for (int k = 0; k < sizes.labels; ++k) {
    const u64 w = r.get();
    to.labels[k].input = R::low(w);
    to.labels[k].negatives = R::high(w) != 0;
    to.labels[k].classes = r.get_int();
    to.labels[k].ignored = r.get_int();
  }
  for (int k = 0; k < sizes.assigns; ++k) pair(to.assigns[k].slot, to.assigns[k].node);
  const u64 body = r.get();
  to.is_body = (R::low(body) & 1) != 0;
  to.biases_placed = (R::low(body) & 2) != 0;
  to.key_input = R::high(body);
  for (int k = 0; k < sizes.bodies; ++k) pair(to.bodies[k].begin, to.bodies[k].size);
  for (int k = 0; k < sizes.body_words; ++k) to.body_words[k] = r.get();
}

constexpr Graph read_graph(WordReader& r) {
  const GraphSizes sizes = read_sizes(r);
  Graph g;
  g.nodes.resize(sizes.nodes);
  g.edges.resize(sizes.edges);
  g.shapes.resize(sizes.shapes);
  g.lists.resize(sizes.lists);
  g.list_data.resize(sizes.list_data);
  g.slots.resize(sizes.slots);
  g.param_groups.resize(sizes.param_groups);
  g.ranges.resize(sizes.ranges);
  g.presets.resize(sizes.presets);
  g.inputs.resize(sizes.inputs);
  g.outputs.resize(sizes.outputs);
  g.labels.resize(sizes.labels);
  g.assigns.resize(sizes.assigns);
  g.bodies.resize(sizes.bodies);
  g.body_words.resize(sizes.body_words);
  read_graph(r, sizes, g);
  return g;
}

constexpr Graph thaw(const u64* words) {
  WordReader r(words);
  return read_graph(r);
}

// The graph that Stage wrote behind its first `Skip` words, as constant arrays; graph() borrows them.
template <class Stage, int Skip = 0>
struct FrozenGraph {
  static constexpr GraphSizes read_own_sizes() {
    WordReader r(Kept<Stage>::data + Skip);
    return read_sizes(r);
  }
  static constexpr GraphSizes sizes = read_own_sizes();
  template <class S>  // a template, so that its members wait for `sizes`
  struct Arrays {
    Node nodes[at_least_one(S::sizes.nodes)]{};
    int edges[at_least_one(S::sizes.edges)]{};
    Dims shapes[at_least_one(S::sizes.shapes)]{};
    Span lists[at_least_one(S::sizes.lists)]{};
    i64 list_data[at_least_one(S::sizes.list_data)]{};
    Slot slots[at_least_one(S::sizes.slots)]{};
    Span param_groups[at_least_one(S::sizes.param_groups)]{};
    Range ranges[at_least_one(S::sizes.ranges)]{};
    Preset presets[at_least_one(S::sizes.presets)]{};
    int inputs[at_least_one(S::sizes.inputs)]{};
    int outputs[at_least_one(S::sizes.outputs)]{};
    Labels labels[at_least_one(S::sizes.labels)]{};
    Assign assigns[at_least_one(S::sizes.assigns)]{};
    Span bodies[at_least_one(S::sizes.bodies)]{};
    u64 body_words[at_least_one(S::sizes.body_words)]{};
    i64 model_bytes = 0, optimizer_bytes = 0;
    int scalar_count = 0, streams = 0;
    bool is_body = false, biases_placed = false;
    int key_input = -1;
  };
  template <class S>
  static constexpr Arrays<S> read() {
    Arrays<S> to;
    WordReader r(Kept<Stage>::data + Skip);
    read_sizes(r);
    read_graph(r, S::sizes, to);
    return to;
  }
  static constexpr Arrays<FrozenGraph> arrays = read<FrozenGraph>();

  static constexpr Graph graph() {
    Graph g;
    g.nodes = List<Node>::borrow(arrays.nodes, sizes.nodes);
    g.edges = List<int>::borrow(arrays.edges, sizes.edges);
    g.shapes = List<Dims>::borrow(arrays.shapes, sizes.shapes);
    g.lists = List<Span>::borrow(arrays.lists, sizes.lists);
    g.list_data = List<i64>::borrow(arrays.list_data, sizes.list_data);
    g.slots = List<Slot>::borrow(arrays.slots, sizes.slots);
    g.param_groups = List<Span>::borrow(arrays.param_groups, sizes.param_groups);
    g.ranges = List<Range>::borrow(arrays.ranges, sizes.ranges);
    g.presets = List<Preset>::borrow(arrays.presets, sizes.presets);
    g.inputs = List<int>::borrow(arrays.inputs, sizes.inputs);
    g.outputs = List<int>::borrow(arrays.outputs, sizes.outputs);
    g.labels = List<Labels>::borrow(arrays.labels, sizes.labels);
    g.assigns = List<Assign>::borrow(arrays.assigns, sizes.assigns);
    g.bodies = List<Span>::borrow(arrays.bodies, sizes.bodies);
    g.body_words = List<u64>::borrow(arrays.body_words, sizes.body_words);
    g.model_bytes = arrays.model_bytes;
    g.optimizer_bytes = arrays.optimizer_bytes;
    g.scalar_count = arrays.scalar_count;
    g.streams = arrays.streams;
    g.is_body = arrays.is_body;
    g.biases_placed = arrays.biases_placed;
    g.key_input = arrays.key_input;
    return g;
  }
};

}  // namespace WEFT_NAMESPACE::ir
