#pragma once
// A contraction as a (batched) matrix product over strided memory: axes that walk memory as one are joined,
// free axes that do not become batch axes.

#include "weft/codegen/lowered.hpp"
#include "weft/kernels/dot_call.hpp"

namespace weft::codegen {

// One axis of a product: its extent and the strides of the operands and the result along it (elements).
struct DotAxis {
  i64 extent = 1, a = 0, b = 0, c = 0;
};

struct DotProblem {
  i64 m = 1, n = 1, k = 1;
  i64 a_row = 0, a_col = 0, b_row = 0, b_col = 0, c_row = 0;
  int batches = 0;
  DotAxis batch[8];
  bool ok = true;
};

// Joins axes [0, count) from the inside while they walk memory as one; returns how many remain in front.
constexpr int join_axes(DotAxis* axes, int count) {
  if (count == 0) return 0;
  int inner = count - 1;
  while (inner > 0) {
    DotAxis& in = axes[inner];
    const DotAxis& out = axes[inner - 1];
    if (out.extent != 1 && in.extent != 1 &&
        (out.a != in.a * in.extent || out.b != in.b * in.extent || out.c != in.c * in.extent))
      break;
    DotAxis joined = in.extent == 1 ? out : in;
    joined.extent = in.extent * out.extent;
    axes[--inner] = joined;
  }
  return inner;
}

constexpr DotProblem dot_problem(const ir::Graph& g, int node, const passes::View& va,
                                 const passes::View& vb) {
  const ir::DotAxes axes = ir::dot_axes(g, node);
  const Dims &da = g.dims(g.in(node, 0)), &db = g.dims(g.in(node, 1)), &dc = g.dims(node);
  const passes::View vc = passes::contiguous_view(node, dc);
  DotProblem p;
  DotAxis m[8], n[8], k[8], batch[8];
  int ms = 0, ns = 0, ks = 0, c_axis = 0, bs = 0;
  for (int i = 0; i < axes.batch; ++i)
    batch[bs++] = {da.extent[axes.batch_a[i]], va.stride[axes.batch_a[i]], vb.stride[axes.batch_b[i]],
                   vc.stride[c_axis++]};
  for (int i = 0; i < da.rank; ++i)
    if (!(axes.used_a() >> i & 1u)) m[ms++] = {da.extent[i], va.stride[i], 0, vc.stride[c_axis++]};
  for (int i = 0; i < db.rank; ++i)
    if (!(axes.used_b() >> i & 1u)) n[ns++] = {db.extent[i], 0, vb.stride[i], vc.stride[c_axis++]};
  for (int i = 0; i < axes.contracted; ++i)
    k[ks++] = {da.extent[axes.contracted_a[i]], va.stride[axes.contracted_a[i]],
               vb.stride[axes.contracted_b[i]], 0};
  const int m_left = join_axes(m, ms), n_left = join_axes(n, ns), k_left = join_axes(k, ks);
  const int b_left = join_axes(batch, bs);
  if (k_left > 0) p.ok = false;
  for (int i = 0; bs > 0 && i <= b_left; ++i)
    if (batch[i].extent != 1) p.batch[p.batches++] = batch[i];
  for (int i = 0; i < m_left; ++i) p.batch[p.batches++] = m[i];
  for (int i = 0; i < n_left; ++i) p.batch[p.batches++] = n[i];
  if (p.batches > 4) p.ok = false;
  if (ms > 0) p.m = m[m_left].extent, p.a_row = m[m_left].a, p.c_row = m[m_left].c;
  if (ns > 0) p.n = n[n_left].extent, p.b_col = n[n_left].b;
  if (ks > 0) p.k = k[k_left].extent, p.a_col = k[k_left].a, p.b_row = k[k_left].b;
  if (p.m == 1) p.c_row = p.n;
  return p;
}

constexpr void lower_dot(const ir::Graph& g, const passes::Fusion& f, const passes::Plan& plan, int k,
                         Lowered& out) {
  const passes::Group& group = f.groups[k];
  const int node = group.opaque, a = g.in(node, 0), b = g.in(node, 1);
  const passes::View va = f.view_in(g, a, k), vb = f.view_in(g, b, k);
  const DotProblem p = dot_problem(g, node, va, vb);
  if (!p.ok) throw Error("codegen/dot", "a contraction's axes cannot be joined into a matrix product");
  List<u64> code, addresses, numbers;
  code.push(static_cast<u64>(g.nodes[a].dtype));
  code.push(static_cast<u64>(g.nodes[b].dtype));
  code.push(static_cast<u64>(g.nodes[node].dtype));
  addresses.push(plan.address(va, g.nodes[a].dtype));
  addresses.push(plan.address(vb, g.nodes[b].dtype));
  addresses.push(plan.where[group.result]);
  u64 epilogue = 0;
  i64 epilogue_bytes = 0;
  for (int e = 0; e < 2; ++e) {
    const int x = e == 0 ? group.added : group.bias;
    if (x < 0) {
      addresses.push(passes::Address::none);
      continue;
    }
    addresses.push(plan.address(f.view_in(g, x, k), g.nodes[x].dtype));
    epilogue |= e == 0 ? kernels::dot_adds : kernels::dot_has_bias;
    epilogue_bytes += e == 0 ? passes::bytes_of(g, x) : p.n * size_of(g.nodes[x].dtype);
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
  step.bytes = passes::bytes_of(g, a) + passes::bytes_of(g, b) + passes::bytes_of(g, node) + epilogue_bytes;
  step.flops = 2 * batch * p.m * p.n * p.k;
}

// gather and scatter_add: rows of a table by index.
constexpr void lower_index(const ir::Graph& g, const passes::Fusion& f, const passes::Plan& plan, int node,
                           Lowered& out) {
  const bool gathers = g.nodes[node].op == ir::Op::gather;
  const int index = g.in(node, gathers ? 1 : 0), data = g.in(node, gathers ? 0 : 1);
  const auto address = [&](int x) { return plan.address(f.view_in(g, x, f.group[node]), g.nodes[x].dtype); };
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
  const StepKind kind = gathers ? StepKind::gather : StepKind::scatter_add;
  Step& step = out.step(kind, out.kernel(kind, code), addresses, numbers);
  step.bytes =
      passes::bytes_of(g, index) +
      (gathers ? 2 * passes::bytes_of(g, node) : passes::bytes_of(g, data) + 2 * passes::bytes_of(g, node));
}

}  // namespace weft::codegen
