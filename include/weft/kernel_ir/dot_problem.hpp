#pragma once
// A contraction as a (batched) matrix product over strided memory: axes that walk memory as one are joined,
// free axes that do not become batch axes, of which a product takes four.

#include "weft/kernel_ir/views.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

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

// Of operands and a result that lie as the views say.
constexpr DotProblem dot_problem(const ir::Graph& g, int node, const View& va, const View& vb,
                                 const View& vc) {
  const ir::DotAxes axes = ir::dot_axes(g, node);
  const Dims &da = g.dims(g.in(node, 0)), &db = g.dims(g.in(node, 1));
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

// The result in row-major order.
constexpr DotProblem dot_problem(const ir::Graph& g, int node, const View& va, const View& vb) {
  return dot_problem(g, node, va, vb, contiguous_view(node, g.dims(node)));
}

}  // namespace WEFT_NAMESPACE::kernel_ir
