#pragma once
// What must hold behind each pass of the list: verify(pass, module) names the first thing that does not.
// Law: it reads what the pass made and asks none of the functions that made it.

#include "weft/compiler/pipeline.hpp"
#include "weft/ir/verify.hpp"

namespace WEFT_NAMESPACE::compiler {

using ir::Fault;

constexpr Fault verify(Prune, const Module& m) { return ir::verify(m.graph, ir::Stage::pruned); }

namespace verify_detail {

// Whether a node is a member or the result of a kernel.
constexpr bool is_computed(kernel_ir::Materialization r) {
  return r == kernel_ir::Materialization::fused || r == kernel_ir::Materialization::opaque;
}

// The kernels and the views of a fusion.
constexpr Fault kernels(const Module& m) {
  const ir::Graph& g = m.graph;
  const kernel_ir::Fusion& f = m.fusion;
  const int n = g.nodes.size();
  if (f.materialization.size() != n || f.kernel_of.size() != n || f.level.size() != n ||
      f.stored.size() != n || f.view_of.size() != n)
    return {"a fusion of another graph", -1};
  for (int i = 0; i < n; ++i) {
    const kernel_ir::Materialization how = f.materialization[i];
    if (how == kernel_ir::Materialization::deferred) return {"it is deferred, and all kernels are formed", i};
    if (is_computed(how) ? f.kernel_of[i] < 0 || f.kernel_of[i] >= f.kernels.size() : f.kernel_of[i] >= 0)
      return {"its materialization and its kernel do not go together", i};
    if (f.view_of[i] >= f.views.size()) return {"its view does not exist", i};
    if (f.view_of[i] >= 0) {
      const int root = f.views[f.view_of[i]].root;
      if (root < 0 || root >= i) return {"a view of what comes later", i};
    }
  }
  return {};
}

constexpr bool contains(const kernel_ir::Fusion& f, const ir::Span& span, int node) {
  for (int i = 0; i < span.size; ++i)
    if (f.pool[span.begin + i] == node) return true;
  return false;
}

// The nodes that read no memory: any kernel may make them, at any time.
constexpr List<bool> generated_nodes(const ir::Graph& g) {
  List<bool> generated(g.nodes.size(), false);
  for (int i = 0; i < g.nodes.size(); ++i) {
    const ir::Node& n = g.nodes[i];
    generated[i] = n.op == ir::Op::constant || n.op == ir::Op::iota || n.op == ir::Op::random ||
                   ((ir::is_pointwise(n.op) || n.op == ir::Op::broadcast) && n.arity > 0);
    for (int k = 0; k < n.arity; ++k) generated[i] = generated[i] && generated[g.in(i, k)];
  }
  return generated;
}
// Whether kernel k, which reads x, runs when all is made that x, a view, depends on.
constexpr Fault runs_after(const Module& m, const List<bool>& generated, int x, int k) {
  const kernel_ir::Fusion& f = m.fusion;
  for (; f.materialization[x] == kernel_ir::Materialization::view; x = m.graph.in(x, 0)) {
    if (m.graph.nodes[x].op != ir::Op::add_dependency) continue;
    int y = m.graph.in(x, 1);  // or what it is a view of, if it is copied later
    while (ir::is_movement(m.graph.nodes[y].op) && m.graph.nodes[y].op != ir::Op::pad) y = m.graph.in(y, 0);
    if (f.kernel_of[y] >= k && !generated[y])
      return {"a kernel reads it before what it depends on is made", x};
  }
  return {};
}

// Whether an address lies inside the block that it names.
constexpr bool inside(const Module& m, u64 address, i64 bytes) {
  using kernel_ir::BufferAddress;
  const i64 begin = BufferAddress::offset(address);
  switch (BufferAddress::space(address)) {
    case ir::Space::workspace:
      return begin + bytes <= m.plan.workspace_bytes;
    case ir::Space::model:
      return begin + bytes <= m.graph.model_bytes;
    case ir::Space::optimizer:
      return begin + bytes <= m.graph.optimizer_bytes;
    case ir::Space::scalars:
      return begin + bytes <= 4 * static_cast<i64>(m.graph.scalar_count);
    case ir::Space::input:
      return BufferAddress::index(address) < m.graph.inputs.size();
    case ir::Space::output:
      return BufferAddress::index(address) < m.graph.outputs.size();
    default:
      return true;
  }
}

}  // namespace verify_detail

constexpr Fault verify(Cluster, const Module& m) { return verify_detail::kernels(m); }

constexpr Fault verify(Collect, const Module& m) {
  if (const Fault fault = verify_detail::kernels(m)) return fault;
  const kernel_ir::Fusion& f = m.fusion;
  List<int> from(m.graph.nodes.size(), -1);  // the kernel that stores a node
  const List<bool> generated = verify_detail::generated_nodes(m.graph);
  for (int k = 0; k < f.kernels.size(); ++k) {
    const kernel_ir::Kernel& kernel = f.kernels[k];
    for (const ir::Span& span : {kernel.body, kernel.loads, kernel.stores})
      if (span.begin < 0 || span.size < 0 || span.begin + span.size > f.pool.size())
        return {"a kernel's members lie outside the pool", -1};
    for (int i = 0; i < kernel.stores.size; ++i) {
      const int x = f.pool[kernel.stores.begin + i];
      if (from[x] >= 0) return {"two kernels store it", x};
      if (!f.stored[x]) return {"a kernel stores it, and it is not in memory", x};
      if (kernel.opaque < 0 && !verify_detail::contains(f, kernel.body, x))
        return {"a kernel stores what it does not compute", x};
      from[x] = k;
    }
  }
  for (int k = 0; k < f.kernels.size(); ++k) {
    const kernel_ir::Kernel& kernel = f.kernels[k];
    for (int i = 0; i < kernel.loads.size; ++i) {
      const int x = f.pool[kernel.loads.begin + i];
      const int root = f.view_in(m.graph, x, k).root;
      if (verify_detail::is_computed(f.materialization[root]) && from[root] < 0)
        return {"it is read from memory, and no kernel stores it", root};
      if (from[root] >= k) return {"a kernel reads it before it is stored", root};
      if (const Fault fault = verify_detail::runs_after(m, generated, x, k)) return fault;
    }
  }
  for (const int x : m.graph.outputs)
    if (m.graph.dims(x).size() > 0 && from[f.view_in(m.graph, x, f.kernels.size()).root] < 0 &&
        verify_detail::is_computed(f.materialization[x]))
      return {"a result that no kernel stores", x};
  return {};
}

constexpr Fault verify(PlanMemory, const Module& m) {
  const kernel_ir::Fusion& f = m.fusion;
  const kernel_ir::Plan& p = m.plan;
  using kernel_ir::BufferAddress;
  if (p.where.size() != m.graph.nodes.size() || p.tilings.size() != f.kernels.size() ||
      p.outputs.size() != m.graph.outputs.size())
    return {"a plan of another program", -1};
  for (const ir::Assign& a : m.graph.assigns) {
    const ir::Slot& slot = m.graph.slots[a.slot];
    if (slot.segments < 0) continue;
    const int k = f.kernel_of[a.node];
    const u64 to = BufferAddress::make(slot.space, slot.offset);
    i64 copied = p.where[a.node] == to ? m.graph.dims(a.node).size() * size_of(slot.dtype) : 0;
    for (const kernel_ir::Copy& c : p.copies)
      if (c.of_group && c.from - p.where[a.node] == c.to - to) copied += c.bytes;
    if (k < 0 || copied != m.graph.dims(a.node).size() * size_of(slot.dtype) ||
        p.tilings[k].segments != slot.segments)
      return {"a parameter group's vector is not written range by range", a.node};
  }
  for (int k = 0; k < f.kernels.size(); ++k) {
    const kernel_ir::Kernel& kernel = f.kernels[k];
    const kernel_ir::Tiling& tiling = p.tilings[k];
    // of a batch that is cut, its own rows
    const bool cut = tiling.batch_rows > 0 && tiling.parts() > 1;
    const i64 length = cut ? tiling.batch_rows : tiling.by_elements ? kernel.space.size() : tiling.rows;
    const i64 chunks = cut ? tiling.chunks / tiling.batches() : tiling.chunks;
    if (tiling.batch_rows > 0 &&
        (tiling.rows % tiling.batch_rows != 0 || (!cut && tiling.rows_per_chunk % tiling.batch_rows != 0) ||
         (cut && tiling.chunks != chunks * tiling.batches())))
      return {"a kernel's chunks are no whole batches", f.pool[kernel.stores.begin]};
    if (kernel.opaque < 0 && length > 0 &&
        (tiling.rows_per_chunk < 1 || (chunks - 1) * tiling.rows_per_chunk >= length ||
         chunks * tiling.rows_per_chunk < length))
      return {"a kernel's chunks do not cover its rows",
              kernel.stores.size > 0 ? f.pool[kernel.stores.begin] : -1};
    for (int i = 0; i < kernel.loads.size; ++i) {
      const int x = f.pool[kernel.loads.begin + i];
      const ir::Node& node = m.graph.nodes[x];
      if (node.op == ir::Op::state && m.graph.slots[static_cast<int>(node.imm)].segments >= 0 &&
          m.graph.slots[static_cast<int>(node.imm)].segments != tiling.segments)
        return {"a kernel reads it that walks over other ranges", x};
    }
    for (int i = 0; i < kernel.stores.size; ++i) {
      const int x = f.pool[kernel.stores.begin + i];
      if (p.where[x] == BufferAddress::none) return {"it is stored nowhere", x};
      if (!verify_detail::inside(m, p.where[x], m.fusion.stored_bytes(m.graph, x)))
        return {"it lies outside its block", x};
      if (BufferAddress::offset(p.where[x]) % size_of(m.graph.nodes[x].dtype) != 0)
        return {"it is not aligned", x};
    }
    for (int i = 0; i < kernel.loads.size; ++i) {
      const int x = f.pool[kernel.loads.begin + i];
      if (f.materialization[x] == kernel_ir::Materialization::arena || m.graph.dims(x).size() == 0) continue;
      if (p.where[f.view_in(m.graph, x, k).root] == BufferAddress::none)
        return {"it is read from nowhere", x};
    }
  }
  for (int k = 1; k < p.combines.size(); ++k)
    if (p.combines[k] <= p.combines[k - 1]) return {"sums are put together out of order", -1};
  return {};
}

constexpr Fault verify(Lower, const Module& m) {
  const compiler::Lowered& l = m.lowered;
  const auto within = [](const ir::Span& s, int size) {
    return s.begin >= 0 && s.size >= 0 && s.begin + s.size <= size;
  };
  for (const compiler::KernelCode& k : l.kernels)
    if (!within(k.words, l.words.size())) return {"a kernel's words lie outside the program", -1};
  for (int s = 0; s < l.steps.size(); ++s) {
    const compiler::Step& step = l.steps[s];
    if (!within(step.addresses, l.addresses.size()) || !within(step.numbers, l.numbers.size()))
      return {"a launch's arguments lie outside the program", -1};
    if (step.kind == compiler::StepKind::repeat) {
      if (s + l.repeat_call(step).inside >= l.steps.size())
        return {"a loop's launches lie outside the program", -1};
      continue;
    }
    if (step.kernel < 0 || step.kernel >= l.kernels.size() || l.kernels[step.kernel].kind != step.kind)
      return {"a launch and its kernel are of different kinds", -1};
    for (int i = 0; i < step.addresses.size; ++i) {
      const u64 a = l.addresses[step.addresses.begin + i];
      if (a == kernel_ir::BufferAddress::none) continue;
      if (kernel_ir::BufferAddress::space(a) == ir::Space::bound
              ? kernel_ir::BufferAddress::index(a) >= l.bindings.size()
              : !verify_detail::inside(m, a, 0))
        return {"a launch's operand lies outside its block", -1};
    }
  }
  return {};
}

constexpr Fault verify(Link, const Module& m) {
  const compiler::ImageHeader& h = m.image.header;
  if (h.kernels != m.lowered.kernels.size() || h.steps != m.lowered.steps.size() ||
      h.outputs != m.graph.outputs.size() || h.workspace_bytes != m.plan.workspace_bytes)
    return {"the image's header is not that of its program", -1};
  return {};
}

}  // namespace WEFT_NAMESPACE::compiler
