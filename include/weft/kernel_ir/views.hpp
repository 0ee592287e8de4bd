#pragma once
// Strided views: what a chain of movement nodes over something in memory means as (root, offset, strides),
// so that the kernel or matrix product that reads it needs no copy.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// Node `root`'s buffer read at offset + sum(index * stride), in elements.
struct View {
  int root = -1;
  int rank = 0;
  i64 offset = 0;
  i64 stride[8]{};
};

constexpr View contiguous_view(int root, const Dims& dims) {
  View v;
  v.root = root;
  v.rank = dims.rank;
  i64 stride = 1;
  for (int i = dims.rank - 1; i >= 0; --i) {
    v.stride[i] = dims.extent[i] == 1 ? 0 : stride;
    stride *= dims.extent[i];
  }
  return v;
}

constexpr bool is_contiguous(const View& v, const Dims& dims) {
  i64 stride = 1;
  for (int i = dims.rank - 1; i >= 0; --i) {
    if (dims.extent[i] != 1 && v.stride[i] != stride) return false;
    stride *= dims.extent[i];
  }
  return true;
}

// Reads `from`-shaped `v` as shape `to` without a copy; false where row-major order forbids it. Axes are cut
// into blocks of equal size from the right; within a block the old axes must be one run in memory.
constexpr bool reshape_view(View& v, const Dims& from, const Dims& to) {
  View r;
  r.root = v.root;
  r.rank = to.rank;
  r.offset = v.offset;
  int i = from.rank - 1, j = to.rank - 1;
  while (i >= 0 || j >= 0) {
    while (i >= 0 && from.extent[i] == 1) --i;
    while (j >= 0 && to.extent[j] == 1) --j;
    if (i < 0 || j < 0) break;
    i64 size_from = from.extent[i], size_to = to.extent[j];
    int begin = i, out = j;
    while (size_from != size_to) {
      if (size_from < size_to) {
        if (begin == 0) return false;
        --begin;
        if (from.extent[begin] != 1) {
          // the next outer axis must continue the run
          int inner = begin + 1;
          while (from.extent[inner] == 1) ++inner;
          if (v.stride[begin] != v.stride[inner] * from.extent[inner]) return false;
          size_from *= from.extent[begin];
        }
      } else {
        if (out == 0) return false;
        --out;
        size_to *= to.extent[out];
      }
    }
    i64 stride = v.stride[i];
    for (int k = j; k >= out; --k) {
      r.stride[k] = to.extent[k] == 1 ? 0 : stride;
      stride *= to.extent[k];
    }
    i = begin - 1;
    j = out - 1;
  }
  v = r;
  return true;
}

// The view that movement node `node` takes of its operand's view; false where a copy is needed first.
constexpr bool apply_movement(const ir::Graph& g, int node, View& v) {
  using ir::Op;
  const ir::Node& n = g.nodes[node];
  const Dims& from = g.dims(g.edges[n.first]);
  const Dims& to = g.dims(node);
  View r;
  r.root = v.root;
  r.rank = to.rank;
  r.offset = v.offset;
  switch (n.op) {
    case Op::broadcast:
      for (int k = to.rank - from.rank; k < to.rank; ++k) {
        const int i = k - (to.rank - from.rank);
        r.stride[k] = from.extent[i] == 1 ? 0 : v.stride[i];
      }
      break;
    case Op::permute:
      for (int k = 0; k < to.rank; ++k) r.stride[k] = v.stride[g.attribute(node, k)];
      break;
    case Op::slice:
      for (int k = 0; k < to.rank; ++k) {
        r.offset += g.attribute(node, 2 * k) * v.stride[k];
        r.stride[k] = to.extent[k] == 1 ? 0 : g.attribute(node, 2 * k + 1) * v.stride[k];
      }
      break;
    case Op::flat_slice: {
      const View flat = contiguous_view(v.root, to);
      for (int k = 0; k < to.rank; ++k) r.stride[k] = flat.stride[k];
      r.offset += static_cast<i64>(n.imm);
      break;
    }
    case Op::reshape:
      return reshape_view(v, from, to);
    case Op::add_dependency:
      return true;
    default:
      return false;
  }
  v = r;
  return true;
}

}  // namespace WEFT_NAMESPACE::kernel_ir
