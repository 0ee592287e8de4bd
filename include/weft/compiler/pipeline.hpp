#pragma once
// The list of passes, in their order. compile(), make_trainer, starting values, explain, the checks while a
// program runs and the tests all walk it.
//
//   trace           the user's function leaves a graph; attention that it composes becomes one operation
//   scale           of a trainer with precision::f8: where products are rounded to 8 bits
//   differentiate   of a trainer: the gradients of the loss (grad(f) differentiates while it is traced)
//   reduce          of a trainer on ranks: gradients become sums over the ranks
//   update          of a trainer: the optimiser
//   precision       products in another dtype
//   rematerialize   of a trainer with a checkpoint policy: what the backward pass computes again
//   gather          of a trainer with comm::zero<3>: parameters are gathered before they are read
//   prune           what nothing needs is dropped, what would be copied into another order is computed in it,
//                   and attention of few queries is split along the keys
//                                                            from here on: GraphPasses, KernelPasses
//   cluster         nodes become kernels
//   collect         what each kernel computes, reads and stores
//   plan_memory     where each value lies, and how each kernel is tiled
//   lower           kernels become code and launches
//   link            the constants of the program
//
// The first eight need the user's types and stand with them (exec/trace.hpp, exec/traced_program.hpp,
// train/step.hpp); a user's own pass joins behind trace, differentiate, update, precision or prune
// (user_pass.hpp). What must hold behind a pass is verify(pass, module) of verify.hpp; what it made,
// print(pass, module) of print.hpp.

#include <string_view>

#include "weft/compiler/lower.hpp"
#include "weft/compiler/stage.hpp"
#include "weft/transforms/prune.hpp"
#include "weft/transforms/split_attention.hpp"

namespace WEFT_NAMESPACE::compiler {

// How much one constant evaluation takes on: compilers stop long ones, each at a length of its own.
#if defined(__clang__)
inline constexpr int differentiated_nodes = 1024, clustered_nodes = 1536;
#elif defined(__CUDACC__)
inline constexpr int differentiated_nodes = 1024, clustered_nodes = 4096;
#else
inline constexpr int differentiated_nodes = 2048, clustered_nodes = 4096;
#endif
inline constexpr int lowered_kernels = 512;

struct Prune {
  static constexpr std::string_view name = "prune";
  static constexpr Part makes = Part::graph;
  using reads = Parts<Part::graph>;
  static constexpr int capacity(int graph, int) { return graph * 3 / 2 + 1024; }
  static constexpr void run(Module& m) {
    m.graph = transforms::prune(m.graph);
    if (transforms::splits_attention(m.graph))
      m.graph = transforms::prune(transforms::split_attention(static_cast<ir::Graph&&>(m.graph)));
  }
};

struct Cluster {
  static constexpr std::string_view name = "cluster";
  static constexpr Part makes = Part::fusion, state = Part::clustering;
  using reads = Parts<Part::graph>;
  static constexpr int piece = clustered_nodes;
  static constexpr int size(const Module& m) { return m.graph.nodes.size(); }
  static constexpr int capacity(int graph, int) { return graph + 1024; }
  static constexpr void run(Module& m, int first, int last) {
    kernel_ir::Fuser(m.graph, m.clustering).run(last - first);
    if (last == size(m)) m.fusion = static_cast<kernel_ir::Fusion&&>(m.clustering.fusion);
  }
};

struct Collect {
  static constexpr std::string_view name = "collect";
  static constexpr Part makes = Part::fusion, changes = Part::fusion;
  using reads = Parts<Part::graph>;
  static constexpr int capacity(int graph, int) { return graph + 1024; }
  static constexpr void run(Module& m) { kernel_ir::collect(m.graph, m.fusion); }
};

struct PlanMemory {
  static constexpr std::string_view name = "plan_memory";
  static constexpr Part makes = Part::plan;
  using reads = Parts<Part::graph, Part::fusion>;
  static constexpr int capacity(int, int before) { return before + 1024; }
  static constexpr void run(Module& m) { m.plan = kernel_ir::plan_memory(m.graph, m.fusion); }
};

struct Lower {
  static constexpr std::string_view name = "lower";
  static constexpr Part makes = Part::lowered, state = Part::lowered;
  using reads = Parts<Part::graph, Part::fusion, Part::plan>;
  static constexpr int piece = lowered_kernels;
  static constexpr int size(const Module& m) { return m.fusion.kernels.size(); }
  static constexpr int capacity(int graph, int) { return 2 * graph + 1024; }
  static constexpr void run(Module& m, int first, int last) {
    compiler::Lowered made = compiler::lower(m.graph, m.fusion, m.plan, first, last);
    if (first == 0)
      m.lowered = static_cast<compiler::Lowered&&>(made);
    else
      m.lowered.append(made);
  }
};

struct Link {
  static constexpr std::string_view name = "link";
  static constexpr Part makes = Part::image;
  using reads = Parts<Part::graph, Part::plan, Part::lowered>;
  static constexpr int capacity(int graph, int) { return 2 * graph + 1024; }
  static constexpr void run(Module& m) { m.image = compiler::link(m.graph, m.plan, m.lowered); }
};

using GraphPasses = PassList<Prune>;
using PlanPasses = PassList<Cluster, Collect, PlanMemory>;
using KernelPasses = PassList<Cluster, Collect, PlanMemory, Lower, Link>;

// Walks the list over a traced graph in memory, and tells visit(pass, module) of each pass that has run.
template <class Visit, class... Pass>
constexpr void walk(Module& m, Visit visit, PassList<Pass...>) {
  ((compiler::run<Pass>(m), visit(Pass{}, static_cast<const Module&>(m))), ...);
}
template <class Visit>
constexpr Module compile_graph(const ir::Graph& traced, Visit visit) {
  Module m;
  m.graph = traced;
  walk(m, visit, GraphPasses{});
  walk(m, visit, KernelPasses{});
  return m;
}
constexpr Module compile_graph(const ir::Graph& traced) {
  return compile_graph(traced, [](auto, const Module&) {});
}
// As far as every value has its place and every kernel its tiling: of a traced graph, and of one that the
// passes on graphs have seen.
constexpr Module plan_pruned(const ir::Graph& pruned) {
  Module m;
  m.graph = pruned;
  walk(
      m, [](auto, const Module&) {}, PlanPasses{});
  return m;
}
constexpr Module plan_graph(const ir::Graph& traced) { return plan_pruned(transforms::prune(traced)); }

}  // namespace WEFT_NAMESPACE::compiler
