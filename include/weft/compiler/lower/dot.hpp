#pragma once
// A contraction as the launch of a matrix product (kernel_ir/dot_problem.hpp), and take_rows and scatter_add.

#include "weft/compiler/lowered.hpp"
#include "weft/kernel_ir/dot_problem.hpp"
#include "weft/kernels/gemm/call.hpp"

namespace WEFT_NAMESPACE::compiler {

constexpr void lower_dot(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan, int k,
                         Lowered& out) {
  const kernel_ir::Kernel& kernel = f.kernels[k];
  const int node = kernel.opaque, a = g.in(node, 0), b = g.in(node, 1);
  const kernel_ir::View va = f.view_in(g, a, k), vb = f.view_in(g, b, k);
  const kernel_ir::DotProblem p = kernel_ir::dot_problem(g, node, va, vb, f.stored_view(g, kernel.result));
  if (!p.ok) throw Error("codegen/dot", "a contraction's axes cannot be joined into a matrix product");
  List<u64> code, addresses, numbers;
  code.push(static_cast<u64>(g.nodes[a].dtype));
  code.push(static_cast<u64>(g.nodes[b].dtype));
  code.push(static_cast<u64>(g.nodes[node].dtype));
  addresses.push(plan.address(va, g.nodes[a].dtype));
  addresses.push(plan.address(vb, g.nodes[b].dtype));
  addresses.push(plan.where[kernel.result]);
  u64 epilogue = g.nodes[node].imm == ir::dot_tf32 ? kernels::dot_is_tf32 : 0;
  i64 epilogue_bytes = 0;
  for (int e = 0; e < 2; ++e) {
    const int x = e == 0 ? kernel.added : kernel.bias;
    if (x < 0) {
      addresses.push(kernel_ir::BufferAddress::none);
      continue;
    }
    addresses.push(plan.address(f.view_in(g, x, k), g.nodes[x].dtype));
    epilogue |= e == 0 ? kernels::dot_adds : kernels::dot_has_bias;
    epilogue_bytes += e == 0 ? kernel_ir::bytes_of(g, x) : p.n * size_of(g.nodes[x].dtype);
  }
  code.push(epilogue);
  for (const i64 x :
       {p.m, p.n, p.k, p.a_row, p.a_col, p.b_row, p.b_col, p.c_row, static_cast<i64>(p.batches)})
    numbers.push(static_cast<u64>(x));
  i64 batch = 1;
  for (int i = 0; i < p.batches; ++i) {
    for (const i64 x : {p.batch[i].extent, p.batch[i].a, p.batch[i].b, p.batch[i].c})
      numbers.push(static_cast<u64>(x));
    batch *= p.batch[i].extent;
  }
  Step& step = out.step(StepKind::dot, out.kernel(StepKind::dot, code), addresses, numbers);
  step.bytes =
      kernel_ir::bytes_of(g, a) + kernel_ir::bytes_of(g, b) + kernel_ir::bytes_of(g, node) + epilogue_bytes;
  step.flops = 2 * batch * p.m * p.n * p.k;
}

// take_rows and scatter_add: rows of a table by index.
constexpr void lower_index(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                           int node, Lowered& out) {
  const bool gathers = g.nodes[node].op == ir::Op::take_rows;
  const int index = g.in(node, gathers ? 1 : 0), data = g.in(node, gathers ? 0 : 1);
  const auto address = [&](int x) {
    return plan.address(f.view_in(g, x, f.kernel_of[node]), g.nodes[x].dtype);
  };
  const i64 rows = g.dims(gathers ? data : node).extent[0], count = g.dims(index).size();
  const i64 width = count > 0 ? g.dims(gathers ? node : data).size() / count : 0;
  List<u64> code, addresses, numbers;
  code.push(static_cast<u64>(g.nodes[node].dtype));
  code.push(static_cast<u64>(g.nodes[index].dtype));
  addresses.push(address(data));
  addresses.push(address(index));
  addresses.push(plan.where[node]);
  numbers.push(static_cast<u64>(rows));
  numbers.push(static_cast<u64>(count));
  numbers.push(static_cast<u64>(width));
  const StepKind kind = gathers ? StepKind::take_rows : StepKind::scatter_add;
  Step& step = out.step(kind, out.kernel(kind, code), addresses, numbers);
  step.bytes = kernel_ir::bytes_of(g, index) +
               (gathers ? 2 * kernel_ir::bytes_of(g, node)
                        : kernel_ir::bytes_of(g, data) + 2 * kernel_ir::bytes_of(g, node));
}

}  // namespace WEFT_NAMESPACE::compiler
