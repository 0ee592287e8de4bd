#pragma once
// The cut of a graph into kernels: what fuse.hpp decides and collect.hpp
// completes, and what planning and lowering read.

#include "weft/kernel_ir/iteration_space.hpp"
#include "weft/kernel_ir/views.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

using ir::Graph;
using ir::Node;
using ir::Op;

enum class Materialization : u8 {
  leaf,       // in memory before the program starts
  generator,  // a function of the index alone; rematerialized wherever it is used
  inlined,    // cheap arithmetic on leaves, or on single elements; rematerialized wherever it is used
  view,       // addresses over another node's memory
  fused,      // member of a fused kernel
  opaque,    // a kernel of its own: dot (with what it adds to its sums), conv, take_rows, scatter_reduce, ...
  arena,     // a flat_concat: its operands' memory read as one vector
  deferred,  // while kernels are formed: a sum, or a view of one, that goes with what reads the same later
};

struct Kernel {
  int opaque = -1;            // the node that has a kernel of its own, -1 for a fused kernel
  int result = -1;            // what that kernel stores: `opaque`, or the last addition to it
  int added = -1, bias = -1;  // what is added to a product's sums, in this order
  Dims space;
  int shape = -1;  // the space's among the graph's shapes, while kernels are formed
  int last = -1;   // the last member, while kernels are formed
  int split = -1;  // axes [0, split) are rows; -1: no reduction forces a cut
  int batch = -1;  // sums along the rows are of the rows of axes [batch, split); -1: there is none yet
  int walk = -1;   // the parameter group whose ranges its members lie in
  int weight = 0;
  int operands = 0, streams = 0;  // in memory, and random, as far as known while kernels are formed
  bool mixed = false;             // has members of row level or reductions
  bool totals = false;            // has sums over everything
  bool closed = false;            // holds a total of what the kernel before makes, and takes nothing more
  int members = 0, tight = 0;     // while kernels are formed again, as one was too large
  bool middle_axis = false;       // one reduction along axes that are neither the first nor the last
  ir::Span body, loads, stores;   // ranges of Fusion::pool
};

// Elements of a row of d, and of what it takes where rows begin at multiples of 16 bytes.
constexpr i64 row_of(const Dims& d) { return d.rank > 0 ? d.extent[d.rank - 1] : 1; }
constexpr i64 padded_row(i64 row, DType t) {
  const i64 chunk = 16 / size_of(t);
  return (row + chunk - 1) / chunk * chunk;
}

inline constexpr u8 stored_padded = 2;

struct Fusion {
  List<Materialization> materialization;
  List<int> kernel_of;  // kernel of each fused or opaque node, -1 otherwise
  List<Level> level;    // of fused nodes
  List<u8> stored;      // the node's value is in memory: 1, with padded rows: stored_padded
  List<int> view_of;    // index into views of each view node, -1 otherwise
  List<View> views;
  List<Kernel> kernels;
  List<int> pool;

  // Whether kernel k reads x through its view: x is one, or becomes a copy of one only later.
  constexpr bool is_view_in(int x, int k) const {
    return materialization[x] == Materialization::view ||
           (materialization[x] == Materialization::fused && view_of[x] >= 0 && kernel_of[x] > k);
  }
  // Tells visit(x) of each node whose memory kernel k reads; of some more than once.
  template <class Visit>
  constexpr void each_read(const Graph& g, int k, Visit visit) const {
    const auto read = [&](int x) {
      while (is_view_in(x, k)) x = view_of[x] >= 0 ? views[view_of[x]].root : g.in(x, 0);
      visit(x);
    };
    const Kernel& at = kernels[k];
    for (int i = 0; i < at.loads.size; ++i) read(pool[at.loads.begin + i]);
    for (int i = 0; i < at.body.size; ++i) {  // what copies and windows read is no load of its own
      const int x = pool[at.body.begin + i];
      if (is_view_in(x, k)) continue;
      if (view_of[x] >= 0)
        read(views[view_of[x]].root);
      else if (g.nodes[x].op == Op::pad)
        read(g.in(x, 0));
    }
  }
  // phase[x]: how many passes over its row kernel k has made before it computes member x. What it reads from
  // memory is there from the start, whatever made it. Returns the greatest.
  constexpr int phases(const Graph& g, int k, int* phase) const {
    const Kernel& at = kernels.items[k];
    const int *const members = pool.data(), *const edges = g.edges.data();
    int most = 0;
    for (int i = 0; i < at.loads.size; ++i) phase[members[at.loads.begin + i]] = 0;
    for (int i = 0; i < at.body.size; ++i) {
      const int x = members[at.body.begin + i];
      const Node& node = g.nodes.items[x];
      const bool reads = materialization.items[x] == Materialization::fused && !is_view_in(x, k) &&
                         (view_of.items[x] >= 0 || node.op == Op::pad);
      int here = 0;
      for (int a = 0; !reads && a < node.arity; ++a)
        if (here < phase[edges[node.first + a]]) here = phase[edges[node.first + a]];
      phase[x] = here + (ir::is_reduction(node.op) && level.items[x] == Level::row ? 1 : 0);
      if (most < phase[x]) most = phase[x];
    }
    return most;
  }
  // How kernel k reads x: through its view, or as x itself lies in memory.
  constexpr View view_in(const Graph& g, int x, int k) const {
    return view_of[x] >= 0 && is_view_in(x, k) ? views[view_of[x]] : stored_view(g, x);
  }
  // How x lies in memory.
  constexpr View stored_view(const Graph& g, int x) const {
    View v = contiguous_view(x, g.dims(x));
    if (stored[x] != stored_padded) return v;
    const i64 row = row_of(g.dims(x)), pitch = padded_row(row, g.nodes[x].dtype);
    for (int a = 0; a + 1 < v.rank; ++a) v.stride[a] = v.stride[a] / row * pitch;
    return v;
  }
  // The elements of a parameter group lie as far apart as in the arena of all parameters.
  constexpr i64 stored_bytes(const Graph& g, int x) const {
    const Dims& d = g.dims(x);
    const int k = g.param_groups.empty() ? -1 : kernel_of[x];
    if (k >= 0 && kernels[k].walk >= 0 && level[x] == Level::element)
      return ir::end_of_group(g, kernels[k].walk) * size_of(g.nodes[x].dtype);
    const i64 size = d.size() * size_of(g.nodes[x].dtype);
    return stored[x] != stored_padded ? size : size / row_of(d) * padded_row(row_of(d), g.nodes[x].dtype);
  }
};

struct FuseLimits {
  int weight = 640;      // summed costs of a kernel's members
  int operands = 28;     // most of a kernel that takes a further member: the limit is 40, of which one member
                         // may add 12, and later kernels read the rest
  int leaves = 12;       // most values in memory of single-element arithmetic that is rematerialized
  int streams = 4;       // most random streams of a kernel that takes a further member, and of what is made
                         // again: a kernel has 8
  int from_leaves = 24;  // highest cost of arithmetic on leaves that is rematerialized wherever it is used
  int recompute = 48;    // highest cost of rematerializing a value instead of storing it,
  int recompute_loads = 2;      // and highest numbers of full-size values read for that
  int recompute_operands = 64;  // and of values of any size,
  int few_operands = 7;         // or so many, where a kernel would have too many operands else
  int kernel_operands = 40;     // what a kernel takes (compiler/lower asserts that),
  int walk_operands = 64;       // and one that updates a parameter group
  int kernel_streams = 8;
  int reductions = 7;  // along a row, of which each reads what the one before has found
};

}  // namespace WEFT_NAMESPACE::kernel_ir
