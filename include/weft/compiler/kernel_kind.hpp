#pragma once
// What a fused kernel does, as one word for people: "map", "row", "column", "segment", "all", or several at
// once, such as "row+column". Used by explain() and by the printers of the passes.

#include <string>

#include "weft/kernel_ir/fusion.hpp"

namespace WEFT_NAMESPACE::compiler {

// By the kernel's reductions; `segmented`: its flat space is several values one behind the other.
inline std::string kind_of(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Kernel& kernel,
                           bool segmented) {
  bool row = false, column = false, all = false;
  for (int i = 0; i < kernel.body.size; ++i) {
    const int x = f.pool[kernel.body.begin + i];
    if (!ir::is_reduction(g.nodes[x].op)) continue;
    column = column || f.level[x] == kernel_ir::Level::column_sum;
    all = all || f.level[x] == kernel_ir::Level::total;
    row = row || (f.level[x] != kernel_ir::Level::column_sum && f.level[x] != kernel_ir::Level::total);
  }
  std::string kind = row ? "row" : segmented ? "segment" : !column && !all ? "map" : "";
  if (column) kind += kind.empty() ? "column" : "+column";
  if (all) kind += kind.empty() ? "all" : "+all";
  return kind;
}

}  // namespace WEFT_NAMESPACE::compiler
