#pragma once
// What each pass of the list made, as text: print(pass, module). For golden files, for internals.md and for
// who writes a pass.

#include <string>

#include "weft/compiler/disassemble.hpp"
#include "weft/compiler/kernel_kind.hpp"
#include "weft/compiler/pipeline.hpp"
#include "weft/ir/print.hpp"

namespace WEFT_NAMESPACE::compiler {

inline std::string print(Prune, const Module& m) { return ir::print(m.graph); }

namespace print_detail {

inline std::string nodes(const Module& m, const char* what, const ir::Span& span) {
  if (span.size == 0) return "";
  std::string out = std::string("  ") + what;
  for (int i = 0; i < span.size; ++i) out += " %" + std::to_string(m.fusion.pool[span.begin + i]);
  return out + '\n';
}

}  // namespace print_detail

// How every node is materialized, and in which kernel.
inline std::string print(Cluster, const Module& m) {
  static constexpr const char* names[]{"leaf", "generator", "inlined", "view", "fused", "opaque", "arena"};
  std::string out;
  for (int i = 0; i < m.graph.nodes.size(); ++i) {
    out += '%' + std::to_string(i) + ' ' + ir::info(m.graph.nodes[i].op).name + ": " +
           names[static_cast<int>(m.fusion.materialization[i])];
    if (m.fusion.kernel_of[i] >= 0) out += ", kernel " + std::to_string(m.fusion.kernel_of[i]);
    out += '\n';
  }
  return out;
}

// Kernels in execution order: what each is, what it reads, holds and stores.
inline std::string print(Collect, const Module& m) {
  std::string out;
  for (int k = 0; k < m.fusion.kernels.size(); ++k) {
    const kernel_ir::Kernel& kernel = m.fusion.kernels[k];
    if (kernel.opaque < 0 && kernel.body.size == 0)
      continue;  // reserved for sums that run first, and not used
    out += "kernel " + std::to_string(k) + " = ";
    const bool segments = k < m.plan.tilings.size() && m.plan.tilings[k].segments >= 0;
    if (kernel.opaque >= 0)
      out += ir::info(m.graph.nodes[kernel.opaque].op).name;
    else
      out += kind_of(m.graph, m.fusion, kernel, segments) + " over " + to_text(kernel.space).c_str();
    out += '\n' + print_detail::nodes(m, "reads ", kernel.loads);
    if (kernel.opaque < 0) out += print_detail::nodes(m, "holds ", kernel.body);
    out += print_detail::nodes(m, "stores", kernel.stores);
  }
  return out;
}

// Where every stored value lies, and how every kernel is tiling.
inline std::string print(PlanMemory, const Module& m) {
  std::string out = "workspace " + std::to_string(m.plan.workspace_bytes) + " bytes\n";
  for (int k = 0; k < m.fusion.kernels.size(); ++k) {
    const kernel_ir::Kernel& kernel = m.fusion.kernels[k];
    if (kernel.opaque < 0 && kernel.stores.size == 0) continue;
    const kernel_ir::Tiling& tiling = m.plan.tilings[k];
    out += "kernel " + std::to_string(k);
    if (kernel.opaque < 0)
      out += ": " + std::to_string(tiling.rows) + " rows of " + std::to_string(tiling.cols) + ", " +
             std::to_string(tiling.chunks) + (tiling.chunks == 1 ? " chunk" : " chunks") +
             (tiling.batch_rows > 0 ? ", batches of " + std::to_string(tiling.batch_rows) + " rows" : "");
    out += '\n';
    for (int i = 0; i < kernel.stores.size; ++i) {
      const int x = m.fusion.pool[kernel.stores.begin + i];
      out += "  %" + std::to_string(x) + " at " + disassemble_detail::address(m.plan.where[x]) + '\n';
    }
  }
  return out;
}

inline std::string print(Lower, const Module& m) { return compiler::disassemble(m.lowered); }

inline std::string print(Link, const Module& m) {
  const compiler::ImageHeader& h = m.image.header;
  return std::to_string(h.kernels) + " kernels, " + std::to_string(h.steps) + " steps, " +
         std::to_string(h.size) + " words, workspace " + std::to_string(h.workspace_bytes) + " bytes\n";
}

}  // namespace WEFT_NAMESPACE::compiler
