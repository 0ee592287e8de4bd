#pragma once
// Where a loop keeps what it carries. A carry whose history is wanted moves along it: a trip reads one row
// and writes the next. One of which a trip writes blocks alone stays in one buffer, its result's, into which
// its start is copied. Any other alternates between two, the last trip's being its result; where it starts
// from what is on its way, which nothing else reads, that is one of the two. None costs a copy a trip. A
// stacked output whose memory is a stacked operand's, as of state, is computed there where the body can. The
// body's own workspace is one, used anew by every trip.

#include "weft/ir/loop.hpp"
#include "weft/kernel_ir/plan.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

struct LoopMemory {
  ir::LoopShape shape;
  ir::Graph body;
  Fusion fusion;
  List<int> result;  // node of every result in the enclosing graph, -1: not used
  Plan plan;
  List<i64> primary, second;  // offsets in the scratch of a carry's buffers, -1: none
  List<u8> starts_there;      // of a carry, whether where it starts is one of them
  i64 scratch_bytes = 0;      // the body's workspace, then those buffers

  // Of kernel number `kernel` as `around`, the plan of the enclosing graph, has it so far.
  constexpr LoopMemory(const ir::Graph& g, const Fusion& f, const Plan& around, int kernel)
      : shape(ir::loop_shape(g, f.kernels[kernel].opaque)),
        body(ir::loop_body(g, f.kernels[kernel].opaque)),
        fusion(fuse(body)),
        result(shape.results(), -1),
        primary(shape.carries, -1),
        second(shape.carries, -1),
        starts_there(shape.carries, 0) {
    const ir::Span stores = f.kernels[kernel].stores;
    for (int i = 0; i < stores.size; ++i) {
      const int x = f.pool[stores.begin + i];
      result[static_cast<int>(g.nodes[x].imm)] = x;
    }
    const int loop = f.kernels[kernel].opaque;
    List<HeldOutput> held;
    for (int k = 0; k < shape.carries; ++k) held.push({result[shape.history_of(k)] < 0 ? k : -1, true});
    for (int k = 0; k < shape.outputs; ++k) {
      held.push({});
      const int x = result[shape.output(k)];
      if (x < 0 || around.where[x] == BufferAddress::none) continue;
      for (int a = shape.carries; a < shape.carries + shape.stacked; ++a) {
        const int from = g.in(loop, a);
        if (bytes_of(g, from) == bytes_of(g, x) &&
            around.address(f.view_in(g, from, kernel), g.nodes[from].dtype) == around.where[x])
          held.back().input = a;
      }
    }
    plan = plan_memory(body, fusion, held);
    scratch_bytes = plan.workspace_bytes;
    for (int k = 0; k < shape.carries; ++k) {
      if (result[shape.history_of(k)] >= 0) continue;
      const i64 bytes = align_up(bytes_of(g, g.in(loop, k)));
      const auto take = [&](i64& at) {
        at = scratch_bytes;
        scratch_bytes += bytes;
      };
      const bool has_final = result[shape.final_of(k)] >= 0;
      starts_there[k] =
          !has_final && g.nodes[g.in(loop, k)].op == ir::Op::all_gather_state_start && shape.trips > 0;
      const bool reads_second = starts_there[k] && shape.trips > 1 && shape.trips % 2 == 1;  // first
      if (!has_final && (!starts_there[k] || reads_second)) take(primary[k]);
      if (shape.trips > 1 && !stays(k) && !reads_second) take(second[k]);
    }
  }
  // Whether carry k stays in one buffer.
  constexpr bool stays(int k) const { return BufferAddress::space(plan.outputs[k]) == ir::Space::input; }
};

constexpr i64 loop_scratch_bytes(const ir::Graph& g, const Fusion& f, const Plan& plan, int k) {
  return LoopMemory(g, f, plan, k).scratch_bytes;
}

constexpr List<u8> loop_outputs_stay(const ir::Graph& g, const Fusion& f, const Plan& plan, int k) {
  const LoopMemory memory(g, f, plan, k);
  List<u8> stay;
  for (const u64 at : memory.plan.outputs) stay.push(BufferAddress::space(at) == ir::Space::input ? 1 : 0);
  return stay;
}

}  // namespace WEFT_NAMESPACE::kernel_ir
