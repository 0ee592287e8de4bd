#pragma once
// Kernels while they are formed, and what is asked of them: where a value lies, what reads it, and whether a
// kernel takes a further member.

#include "weft/kernel_ir/epilogue.hpp"
#include "weft/kernel_ir/fusion.hpp"
#include "weft/kernel_ir/reuse.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// Kernels as far as they are formed: the nodes below `next` are in theirs. Another evaluation can continue
// from it.
struct Clustering {
  Fusion fusion;
  List<int> min_kernel;        // the first kernel that may use the node's value
  List<int> reader;            // the last kernel that reads the node
  List<int> before;            // the member before it of the same kernel
  List<int> leaf;              // something that inlined arithmetic on leaves reads
  List<int> remat_cost;        // of inlined arithmetic on leaves, else 0
  List<int> leaves;            // how many values in memory inlined arithmetic reads, at most
  List<int> streams;           // and how many random streams, at most; of generators too
  List<int> deferred_outputs;  // inlined results, which get a kernel when all others have theirs
  int next = 0;
  int reserved_used = 0;
};

// A Clustering of a graph, and questions about it; Fuser (fuse.hpp) continues with it.
class ClusteringState {
 protected:
  // `tight`: of each node how often a kernel that held it was too large; none where kernels are
  // formed for the first time.
  constexpr ClusteringState(const Graph& graph, Clustering& clustering, FuseLimits limits = {},
                            const int* tight = nullptr)
      : g(graph), s(clustering), limits_(limits), tight_(tight) {
    const int n = g.nodes.size();
    if (s.next == 0) {
      f.materialization = List<Materialization>(n, Materialization::leaf);
      f.kernel_of = List<int>(n, -1);
      f.level = List<Level>(n, Level::element);
      f.stored = List<u8>(n, 0);
      f.view_of = List<int>(n, -1);
      s.min_kernel = List<int>(n, 0);
      s.reader = List<int>(n, -1);
      s.before = List<int>(n, -1);
      s.leaf = List<int>(n, 0);
      s.remat_cost = List<int>(n, 0);
      s.leaves = List<int>(n, 0);
      s.streams = List<int>(n, 0);
      for (int k = 0; k < reserved; ++k) new_kernel(-1);
    }
    materialization_ = f.materialization.data();
    kernel_of_ = f.kernel_of.data();
    level_ = f.level.data();
    stored_ = f.stored.data();
    view_of_ = f.view_of.data();
    min_kernel_ = s.min_kernel.data();
    reader_ = s.reader.data();
    before_ = s.before.data();
    leaf_ = s.leaf.data();
    remat_cost_ = s.remat_cost.data();
    leaves_ = s.leaves.data();
    streams_ = s.streams.data();
  }

  // ---- values ----
  // The first kernel that may read x from memory.
  constexpr int after_memory(int x) const { return kernel_of_[x] >= 0 ? kernel_of_[x] + 1 : min_kernel_[x]; }

  // How many values in memory x stands for where it is read, at most.
  constexpr int leaves_of(int x) const {
    return materialization_[x] == Materialization::generator ? 0
           : materialization_[x] == Materialization::inlined ? leaves_[x]
                                                             : 1;
  }
  constexpr int streams_of(int x) const {
    return materialization_[x] == Materialization::generator ||
                   materialization_[x] == Materialization::inlined
               ? streams_[x]
               : 0;
  }

  // Whether a kernel computes x from other values, element by element.
  constexpr bool is_made(int x) const {
    return materialization_[x] == Materialization::fused && ir::is_pointwise(nodes_[x].op);
  }

  constexpr int through_broadcasts(int x) const {
    while (materialization_[x] == Materialization::view && nodes_[x].op == Op::broadcast)
      x = edges_[nodes_[x].first + 0];
    return x;
  }
  constexpr int memory_node(int x) const {
    x = through_broadcasts(x);
    if (remat_cost_[x] > 0) return leaf_[x];
    return materialization_[x] == Materialization::view ? f.views[view_of_[x]].root : x;
  }

  // Whether x is in memory before any kernel runs; what is so behind one alone is not.
  constexpr bool reads_leaf(int x) const {
    return materialization_[memory_node(x)] == Materialization::leaf && nodes_[x].op != Op::add_dependency;
  }

  // As resolve, of what is in memory anyway.
  constexpr View view_of_memory(int x) const {
    if (materialization_[x] != Materialization::view) return contiguous_view(x, shapes_[nodes_[x].shape]);
    if (view_of_[x] >= 0) return f.views[view_of_[x]];
    View v = view_of_memory(edges_[nodes_[x].first + 0]);
    apply_movement(g, x, v);
    return v;
  }

  // Whether x is the same for every row of the product that kernel `at` computes.
  constexpr bool is_bias(const Kernel& kernel, int x, int at) const {
    const int b = edges_[nodes_[kernel.opaque].first + 1];
    return is_column_bias(g, kernel.opaque, view_of_memory(x), f.view_in(g, b, at));
  }

  // What each reader of arithmetic on leaves and generators would do to make it; 0 where few do.
  constexpr int made_again_cost(int i) const {
    const Node& n = nodes_[i];
    if (!reuse_.may_be_worth_storing(i)) return 0;
    int cost = ir::info(n.op).cost;
    for (int k = n.first; k < n.first + n.arity; ++k) {
      const int x = through_broadcasts(edges_[k]);
      cost += materialization_[x] == Materialization::generator ? reuse_.generator_cost(x) : remat_cost_[x];
    }
    return cost;
  }

  constexpr void read_by(int at, int x) {
    if (reader_[x] < at) reader_[x] = at;
  }

  // ---- kernels ----
  constexpr bool joins(int at, int i, int shape, const Reduction& r) const {
    const Kernel& kernel = f.kernels[at];
    if (kernel.opaque >= 0 || kernel.middle_axis || kernel.closed) return false;
    // The update of a parameter group is one kernel, whatever its size: what it assigns takes the place of
    // what it reads, element by element, and a second kernel would read what the first has written.
    const bool large = kernel.weight + ir::info(nodes_[i].op).cost >= limits_.weight ||
                       kernel.operands > limits_.operands || kernel.streams > limits_.streams ||
                       is_full(kernel, i);
    if ((large && kernel.walk < 0) || kernel.walk != walk_of(i)) return false;
    const Dims& d = shapes_[shape];
    if (!keeps_batch(kernel, d, r)) return false;
    if (kernel.shape == shape)
      return keeps_order(kernel, d, r) && (r.level == Level::element || r.level == Level::total ||
                                           kernel.split < 0 || kernel.split == r.split);
    const SpaceFit a = fit_in(kernel.space, d);
    if (!a.inside) {
      if (!a.outside || !a.suffix || kernel.mixed || kernel.space.size() == 1) return false;
      if (r.level == Level::total &&
          !has_chunks_of_total(d, in_rank(a.split, max(kernel.space.rank, d.rank), d.rank)))
        return false;
      return r.level == Level::element || r.level == Level::total ||
             r.split == in_rank(a.split, max(kernel.space.rank, d.rank), d.rank);
    }
    if (a.full)
      return keeps_order(kernel, d, r) &&
             (r.level == Level::element || r.level == Level::total || kernel.split < 0 ||
              kernel.split == in_rank(r.split, d.rank, kernel.space.rank));
    // a row of the space: pointwise at row level, or a reduction over all rows
    if (!a.suffix || kernel.split != in_rank(a.split, max(kernel.space.rank, d.rank), kernel.space.rank))
      return false;
    return r.level == Level::element || (r.level == Level::total && kernel.space.size() <= chunk_elements);
  }
  // The parameter group over whose ranges node i is computed, -1: none. Two of one length lie elsewhere.
  constexpr int walk_of(int i) const {
    if (g.param_groups.empty()) return -1;
    const Node& n = nodes_[i];
    for (int k = n.first; k < n.first + n.arity; ++k) {
      if (shapes_[nodes_[edges_[k]].shape].size() == 1) continue;
      const int walk = walk_of_memory(memory_node(edges_[k]));
      if (walk >= 0) return walk;
    }
    return -1;
  }
  // Which of two leaves stands for arithmetic on both: what lies in a group's ranges, else the later one.
  constexpr int leaf_for(int a, int b) const {
    if (g.param_groups.empty()) return max(a, b);
    const bool walks = walk_of_memory(a) >= 0;
    return walks == (walk_of_memory(b) >= 0) ? max(a, b) : walks ? a : b;
  }
  // The group of what is in memory.
  constexpr int walk_of_memory(int x) const {
    const Node& from = nodes_[x];
    return from.op == Op::state         ? g.slots[static_cast<int>(from.imm)].segments
           : from.op == Op::flat_concat ? static_cast<int>(static_cast<i64>(from.imm))
           : kernel_of_[x] >= 0         ? f.kernels[kernel_of_[x]].walk
                                        : -1;
  }
  // Whether the kernel, or one that i was in when kernels were formed before, was too large.
  constexpr bool is_full(const Kernel& kernel, int i) const {
    if (tight_ == nullptr) return false;
    const int tight = max(kernel.tight, tight_[i]);
    return tight > 0 && kernel.members >= most_members >> tight;
  }
  // Whether a walk of `space` that is cut at `split` has the chunks of a total over it, or one chunk.
  static constexpr bool has_chunks_of_total(const Dims& space, int split) {
    return space.size() <= chunk_elements || size_from(space, split) == row_of_total(space);
  }
  // Whether the kernel's sums along the rows and over everything are of the same rows as reduction r of d.
  static constexpr bool keeps_batch(const Kernel& kernel, const Dims& d, const Reduction& r) {
    if (r.level == Level::total) return kernel.batch <= 0;
    if (r.level != Level::column_sum) return true;
    return kernel.batch >= 0 ? kernel.batch == batch_in(kernel.space, d, r) : r.batch == 0 || !kernel.totals;
  }
  // The axes of r's batch, of extents d, as axes of `space`.
  static constexpr int batch_in(const Dims& space, const Dims& d, const Reduction& r) {
    return r.batch > 0 ? in_rank(r.batch, d.rank, space.rank) : 0;
  }
  // Whether totals and the cut into rows and columns, of which the kernel or the reduction brings one, go
  // together.
  constexpr bool keeps_order(const Kernel& kernel, const Dims& d, const Reduction& r) const {
    if (r.level == Level::total) return kernel.split < 0 || has_chunks_of_total(kernel.space, kernel.split);
    return !kernel.totals || r.split < 0 ||
           has_chunks_of_total(kernel.space, in_rank(r.split, d.rank, kernel.space.rank));
  }

  // A kernel that reads what the reduced value x is made of, and goes over it as reduction i does; else -1.
  constexpr int beside(int x, int least, int i, int shape, const Reduction& r) const {
    if (!is_made(x)) return -1;
    for (int k = 0; k < nodes_[x].arity; ++k) {
      const int from = reader_[memory_node(edges_[nodes_[x].first + k])];
      if (from >= least && joins(from, i, shape, r)) return from;
    }
    return -1;
  }

  static constexpr bool may_defer(Op op) {
    return op == Op::reduce_sum || op == Op::broadcast || op == Op::reshape || op == Op::permute;
  }
  // Whether node i is a sum of memory that no kernel goes over in the same way yet: one may come before the
  // sum is used, and take it up without reading that memory again.
  constexpr bool is_deferred(int i) const {
    const int x = edges_[nodes_[i].first];
    if (materialization_[x] == Materialization::deferred) return true;
    if (nodes_[i].op != Op::reduce_sum || materialization_[x] == Materialization::fused ||
        materialization_[x] == Materialization::generator)
      return false;
    const int root = memory_node(x);
    if (materialization_[root] != Materialization::leaf && materialization_[root] != Materialization::opaque)
      return false;
    const Reduction r = reduction_of(g, i);
    return !r.middle_axis && r.level != Level::total &&
           !(reader_[root] >= min_kernel_[x] && joins(reader_[root], i, nodes_[x].shape, r));
  }

  constexpr int new_kernel(int opaque) {
    Kernel kernel;
    kernel.opaque = kernel.result = opaque;
    f.kernels.push(kernel);
    return f.kernels.size() - 1;
  }

  // Makes x the last member of kernel `at`.
  constexpr void add_member(int at, int x) {
    Kernel& kernel = f.kernels[at];
    kernel.weight += ir::info(nodes_[x].op).cost + 1;
    kernel_of_[x] = at;
    before_[x] = kernel.last;
    kernel.last = x;
    ++kernel.members;
    if (tight_ != nullptr) kernel.tight = max(kernel.tight, tight_[x]);
  }

  static constexpr int max(int a, int b) { return a > b ? a : b; }

  static constexpr int most_members = 64;
  static constexpr int reserved = 4;

  const Graph& g;
  Clustering& s;
  Fusion& f = s.fusion;
  FuseLimits limits_;
  Reuse reuse_{g, s.next};
  // plain pointers into the graph and the result: constant evaluation pays for every call
  const Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Dims* shapes_ = g.shapes.data();
  Materialization* materialization_ = nullptr;
  int* kernel_of_ = nullptr;
  Level* level_ = nullptr;
  u8* stored_ = nullptr;
  int* view_of_ = nullptr;
  int* min_kernel_ = nullptr;
  int* reader_ = nullptr;
  const int* tight_ = nullptr;
  int* before_ = nullptr;
  int* leaf_ = nullptr;
  int* remat_cost_ = nullptr;
  int* leaves_ = nullptr;
  int* streams_ = nullptr;
};

}  // namespace WEFT_NAMESPACE::kernel_ir
