#pragma once
// What each pass of the list made, as text: print(pass, module). For golden files, for internals.md and for
// who writes a pass.

#include <string>

#include "weft/compiler/disassemble.hpp"
#include "weft/compiler/group_kind.hpp"
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

// How every node is materialized, and in which group.
inline std::string print(Cluster, const Module& m) {
  static constexpr const char* names[]{"leaf", "generator", "inlined", "view", "fused", "opaque", "arena"};
  std::string out;
  for (int i = 0; i < m.graph.nodes.size(); ++i) {
    out += '%' + std::to_string(i) + ' ' + ir::info(m.graph.nodes[i].op).name + ": " +
           names[static_cast<int>(m.fusion.materialization[i])];
    if (m.fusion.group[i] >= 0) out += ", group " + std::to_string(m.fusion.group[i]);
    out += '\n';
  }
  return out;
}

// Groups in execution order: what each is, what it reads, holds and stores.
inline std::string print(Collect, const Module& m) {
  std::string out;
  for (int k = 0; k < m.fusion.groups.size(); ++k) {
    const kernel_ir::Group& group = m.fusion.groups[k];
    if (group.opaque < 0 && group.body.size == 0) continue;  // reserved for sums that run first, and not used
    out += "group " + std::to_string(k) + " = ";
    const bool segments = k < m.plan.tilings.size() && m.plan.tilings[k].segments >= 0;
    if (group.opaque >= 0)
      out += ir::info(m.graph.nodes[group.opaque].op).name;
    else
      out += kind_of(m.graph, m.fusion, group, segments) + " over " + to_text(group.space).c_str();
    out += '\n' + print_detail::nodes(m, "reads ", group.loads);
    if (group.opaque < 0) out += print_detail::nodes(m, "holds ", group.body);
    out += print_detail::nodes(m, "stores", group.stores);
  }
  return out;
}

// Where every stored value lies, and how every group is tiling.
inline std::string print(PlanMemory, const Module& m) {
  std::string out = "workspace " + std::to_string(m.plan.workspace_bytes) + " bytes\n";
  for (int k = 0; k < m.fusion.groups.size(); ++k) {
    const kernel_ir::Group& group = m.fusion.groups[k];
    if (group.opaque < 0 && group.stores.size == 0) continue;
    const kernel_ir::Tiling& tiling = m.plan.tilings[k];
    out += "group " + std::to_string(k);
    if (group.opaque < 0)
      out += ": " + std::to_string(tiling.rows) + " rows of " + std::to_string(tiling.cols) + ", " +
             std::to_string(tiling.chunks) + (tiling.chunks == 1 ? " chunk" : " chunks");
    out += '\n';
    for (int i = 0; i < group.stores.size; ++i) {
      const int x = m.fusion.pool[group.stores.begin + i];
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
