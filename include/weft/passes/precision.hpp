#pragma once
// Precision as a pass: matrix products work on operands cast down, everything else stays as it was written.
// The casts are in the graph before fusion, so they are part of the neighbouring kernels and rounding never
// depends on what was fused.

#include "weft/core/option.hpp"
#include "weft/ir/loop.hpp"

namespace weft::passes {

// The dtype in which products of f32 operands are computed, and whether those that stay f32 may round their
// factors to TF32.
struct PrecisionRule {
  DType compute = DType::f32;
  bool tf32 = false;
  constexpr bool changes_nothing() const { return compute == DType::f32 && !tf32; }
};

// Products of f32 operands become products of `compute` operands. Their result is `compute` too, except where
// it is the gradient of a parameter (an operand of a pack), which keeps the f32 sums. Under TF32 they keep
// their dtypes and bear a mark (convolutions none: they are summed in f32).
constexpr ir::Graph apply_precision(const ir::Graph& g, PrecisionRule rule) {
  if (rule.changes_nothing()) return g;
  const int n = g.nodes.size();
  List<u8> gradient(n, 0);
  for (int i = n - 1; i >= 0; --i) {
    const ir::Node& node = g.nodes[i];
    const bool passes_on = node.op == ir::Op::pack ||
                           (gradient[i] && (node.op == ir::Op::reshape || node.op == ir::Op::permute));
    if (passes_on)
      for (int k = 0; k < node.arity; ++k) gradient[g.edges[node.first + k]] = 1;
  }
  ir::Builder b(g, 2 * n);
  List<int> moved(n, -1);
  List<int> operands;
  for (int i = 0; i < n; ++i) {
    ir::Node node = g.nodes[i];
    operands.clear();
    for (int k = 0; k < node.arity; ++k) operands.push(moved[g.edges[node.first + k]]);
    const bool product = node.op == ir::Op::dot || node.op == ir::Op::conv;
    const bool lower = product && node.dtype == DType::f32 && rule.compute != DType::f32;
    if (rule.tf32 && node.op == ir::Op::dot && node.dtype == DType::f32) node.imm = ir::dot_tf32;
    if (lower) {
      for (int& x : operands) x = ir::cast(ir::Value{&b, x}, rule.compute).id;
      if (!gradient[i]) node.dtype = rule.compute;
    }
    if (node.op == ir::Op::loop)
      node.imm = static_cast<u64>(ir::add_body(b.graph, apply_precision(ir::loop_body(g, i), rule)));
    moved[i] = b.add(node, operands.data(), operands.size());
    if (lower) moved[i] = ir::cast(ir::Value{&b, moved[i]}, DType::f32).id;
  }
  for (int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved[x]);
  for (int x : g.outputs) b.graph.outputs.push(moved[x]);
  for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved[a.node]});
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace weft::passes

// Policies: how a trainer or a function computes its matrix products.
namespace weft::precision {

// Everything as written.
struct F32 {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr passes::PrecisionRule rule{DType::f32};
  static constexpr bool scaled = false;
};
// Matrix products of f32 operands may round these to TF32 (10 bits of mantissa; sums in f32), as tensor cores
// of GPUs do; on the host they are f32.
struct TF32 {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr passes::PrecisionRule rule{DType::f32, true};
  static constexpr bool scaled = false;
};
// Operands in bf16, sums in f32, master weights in f32.
struct BF16 {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr passes::PrecisionRule rule{DType::bf16};
  static constexpr bool scaled = false;
};
// Operands in f16; the loss is scaled so that gradients do not underflow, and an update whose gradients are
// not all finite is skipped (the scale halves; after 2,000 good updates it doubles). All of that happens on
// the device.
struct F16 {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr passes::PrecisionRule rule{DType::f16};
  static constexpr bool scaled = true;
};

inline constexpr F32 f32{};
inline constexpr TF32 tf32{};
inline constexpr BF16 bf16{};
inline constexpr F16 f16{};

}  // namespace weft::precision
