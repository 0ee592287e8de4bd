#pragma once
// dynamic_slice and dynamic_update_slice as steps. Word: the dtype of the offsets. Numbers and addresses: as
// kernels/axis/dynamic_slice.hpp reads them. An update whose tensor lies where its result does writes the
// block alone; any other copies the tensor first.

#include "weft/compiler/lowered.hpp"
#include "weft/ir/dynamic_slice.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void lower_dynamic_slice(const ir::Graph& g, const kernel_ir::Fusion& f,
                                   const kernel_ir::Plan& plan, int node, Lowered& out) {
  const bool update = g.nodes[node].op == ir::Op::dynamic_update_slice;
  const int kernel = f.kernel_of[node], x = g.in(node, 0), tensors = ir::block_operands(g.nodes[node].op);
  const DType dtype = g.nodes[node].dtype;
  const i64 unit = size_of(dtype), whole_bytes = kernel_ir::bytes_of(g, x);
  const kernel_ir::View made = kernel_ir::contiguous_view(node, g.dims(node)), read = f.view_in(g, x, kernel);
  if (update && plan.address(read, dtype) != plan.where[node]) {
    List<u64> addresses, numbers;
    addresses.push(plan.address(read, dtype));
    addresses.push(plan.where[node]);
    numbers.push(static_cast<u64>(whole_bytes));
    out.step(StepKind::copy, out.kernel(StepKind::copy, List<u64>()), addresses, numbers).bytes =
        2 * whole_bytes;
  }
  const kernel_ir::View from = update ? f.view_in(g, g.in(node, 1), kernel) : read;
  const kernel_ir::View& whole = update ? made : read;
  const Dims& block = ir::block_dims(g, node);
  const int batch = static_cast<int>(g.attribute(node, 0));
  i64 samples = 1, start = 0;
  for (int k = 0; k < batch; ++k) samples *= block.extent[k];
  for (int k = 0; k < block.rank; ++k)
    if (const i64 begin = g.attribute(node, k + 1); begin > 0) start += begin * whole.stride[k] * unit;

  // axes that are one run in both memories
  i64 extent[8]{}, to_stride[8]{}, from_stride[8]{};
  int axes = 0;
  for (int k = 0; k < block.rank; ++k) {
    if (block.extent[k] == 1) continue;
    const i64 to = made.stride[k] * unit, source = from.stride[k] * unit;
    if (axes > 0 && to_stride[axes - 1] == to * block.extent[k] &&
        from_stride[axes - 1] == source * block.extent[k]) {
      extent[axes - 1] *= block.extent[k];
      to_stride[axes - 1] = to, from_stride[axes - 1] = source;
    } else {
      extent[axes] = block.extent[k], to_stride[axes] = to, from_stride[axes++] = source;
    }
  }
  List<u64> code, addresses, numbers;
  code.push(
      static_cast<u64>(g.nodes[node].arity > tensors ? g.nodes[g.in(node, tensors)].dtype : DType::i64));
  addresses.push(plan.where[node]);
  addresses.push(plan.address(from, dtype));
  for (const i64 n : {unit, samples, block.size() / samples, start, i64{axes}})
    numbers.push(static_cast<u64>(n));
  for (int a = 0; a < axes; ++a)
    for (const i64 n : {extent[a], to_stride[a], from_stride[a]}) numbers.push(static_cast<u64>(n));
  i64 bytes = 2 * block.size() * unit;
  for (int k = 0, next = tensors; k < block.rank; ++k) {
    if (g.attribute(node, k + 1) != ir::BlockPlace::dynamic) continue;
    const int offset = g.in(node, next++);
    addresses.push(plan.address(f.view_in(g, offset, kernel), g.nodes[offset].dtype));
    numbers.push(static_cast<u64>(ir::last_offset(g.dims(x), block, k)));
    numbers.push(static_cast<u64>(whole.stride[k] * unit));
    bytes += kernel_ir::bytes_of(g, offset);
  }
  const StepKind kind = update ? StepKind::dynamic_update_slice : StepKind::dynamic_slice;
  out.step(kind, out.kernel(kind, code), addresses, numbers).bytes = bytes;
}

}  // namespace WEFT_NAMESPACE::compiler
