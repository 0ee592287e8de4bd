#pragma once
// Rows in memory that begin at multiples of 16 bytes: of a matrix that a product makes or reads, whose rows
// are long and of an odd length, such as the logits of 50,257 words. A GPU's products fetch blocks of such
// rows at full speed, and of others at about a third of it. Law: a value whose rows are padded is read and
// written through strides alone, by matrix products and fused kernels; it is no output and no state, and what
// lies between its rows is never read as a part of it.

#include "weft/kernel_ir/dot_problem.hpp"
#include "weft/kernel_ir/fusion.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

class RowPadding {
 public:
  constexpr RowPadding(const Graph& graph, Fusion& fusion) : g(graph), f(fusion) {}

  constexpr void run() {
    if (!find()) return;
    for (int node : g.outputs) drop_root(node);
    for (const ir::Assign& a : g.assigns) drop_root(a.node);
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (g.nodes[i].op == Op::flat_concat)
        for (int a = 0; a < g.nodes[i].arity; ++a) drop_root(g.in(i, a));
      if (f.view_of[i] >= 0) {
        View v = f.views[f.view_of[i]];
        if (f.stored[v.root] == stored_padded && !pad(v, g.dims(i))) drop(v.root);
      }
    }
    for (int k = 0; k < f.kernels.size(); ++k) {
      const Kernel& kernel = f.kernels[k];
      if (kernel.opaque >= 0 ? g.nodes[kernel.opaque].op != Op::dot || kernel.added >= 0 : kernel.middle_axis)
        drop_all(k);
    }
    // A product that can no longer be one of the same size drops what it touches, which changes others.
    for (bool changed = true; changed;) {
      changed = false;
      for (int k = 0; k < f.kernels.size(); ++k)
        if (f.kernels[k].opaque >= 0 && touches(k) && !stays_product(k)) drop_all(k), changed = true;
    }
    for (int i = 0; i < g.nodes.size(); ++i)
      if (f.view_of[i] >= 0 && f.stored[f.views[f.view_of[i]].root] == stored_padded)
        pad(f.views[f.view_of[i]], g.dims(i));
  }

 private:
  static constexpr i64 least_row = 256;  // so that at most 3 % of the memory lies between rows

  // Marks what may have padded rows; false where nothing does.
  constexpr bool find() {
    bool any = false;
    const auto look_at = [&](int x) {
      while (f.view_of[x] >= 0 && f.materialization[x] == Materialization::view)
        x = f.views[f.view_of[x]].root;
      const Dims& d = g.dims(x);
      const bool computed = f.materialization[x] == Materialization::opaque ||
                            (f.materialization[x] == Materialization::fused && f.level[x] == Level::element);
      if (!computed || f.stored[x] != 1 || d.rank < 2 || row_of(d) < least_row || d.size() == row_of(d))
        return;
      if (padded_row(row_of(d), g.nodes[x].dtype) != row_of(d)) f.stored[x] = stored_padded, any = true;
    };
    for (const Kernel& kernel : f.kernels) {
      if (kernel.opaque < 0 || g.nodes[kernel.opaque].op != Op::dot) continue;
      look_at(kernel.result);
      for (int a = 0; a < 2; ++a) look_at(g.in(kernel.opaque, a));
    }
    return any;
  }

  constexpr void drop(int x) {
    if (f.stored[x] == stored_padded) f.stored[x] = 1;
  }
  constexpr void drop_root(int x) {
    while (f.materialization[x] == Materialization::view)
      x = f.view_of[x] >= 0 ? f.views[f.view_of[x]].root : g.in(x, 0);
    drop(x);
  }
  // What kernel k reads and stores.
  constexpr void drop_all(int k) {
    f.each_read(g, k, [&](int x) { drop(x); });
    const ir::Span stores = f.kernels[k].stores;
    for (int i = 0; i < stores.size; ++i) drop(f.pool[stores.begin + i]);
  }
  constexpr bool touches(int k) const {
    bool any = f.stored[f.kernels[k].result] == stored_padded;
    f.each_read(g, k, [&](int x) { any = any || f.stored[x] == stored_padded; });
    return any;
  }

  // The view of dims `d` over its root's memory, as if that had padded rows; false where it crosses rows.
  constexpr bool pad(View& v, const Dims& d) const {
    const i64 row = row_of(g.dims(v.root)), pitch = padded_row(row, g.nodes[v.root].dtype);
    i64 least = v.offset % row, most = least;
    for (int k = 0; k < v.rank; ++k) {
      i64& stride = v.stride[k];
      if (stride % row == 0) {
        stride = stride / row * pitch;
      } else {
        (stride < 0 ? least : most) += (d.extent[k] - 1) * stride;
      }
    }
    v.offset = v.offset / row * pitch + v.offset % row;
    return least >= 0 && most < row;
  }

  // Whether kernel k, a product, walks its operands as before.
  constexpr bool stays_product(int k) const {
    const Kernel& kernel = f.kernels[k];
    const auto view = [&](int x, bool padded) {
      if (f.view_of[x] < 0 || !f.is_view_in(x, k))
        return padded ? f.stored_view(g, x) : contiguous_view(x, g.dims(x));
      View v = f.views[f.view_of[x]];
      if (padded && f.stored[v.root] == stored_padded) pad(v, g.dims(x));
      return v;
    };
    const auto problem = [&](bool padded) {
      return dot_problem(
          g, kernel.opaque, view(g.in(kernel.opaque, 0), padded), view(g.in(kernel.opaque, 1), padded),
          padded ? f.stored_view(g, kernel.result) : contiguous_view(kernel.result, g.dims(kernel.result)));
    };
    const DotProblem dense = problem(false), now = problem(true);
    return now.ok && now.m == dense.m && now.n == dense.n && now.k == dense.k && now.batches == dense.batches;
  }

  const Graph& g;
  Fusion& f;
};

constexpr void pad_rows(const Graph& graph, Fusion& fusion) { RowPadding(graph, fusion).run(); }

}  // namespace WEFT_NAMESPACE::kernel_ir
