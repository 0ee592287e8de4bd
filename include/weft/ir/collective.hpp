#pragma once
// Sums over the ranks of a distributed program, as nodes: one that begins a sum and one that waits for it, so
// that what lies between them runs meanwhile. Law: start and done lie where the operand does, and nothing
// else reads the operand behind its start; every rank's program has the same collectives in the same order.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

// Begins the sum of elements [begin, begin + length) of `flat`, a vector, as request number `request`.
constexpr Value all_reduce_start(Value flat, i64 begin, i64 length, int request) {
  Builder& b = *flat.builder;
  const i64 extent[1]{length};
  return raw(Op::all_reduce_start, flat.dtype(), b.shape(make_dims(1, extent)), static_cast<u64>(request),
             b.list(&begin, 1), flat);
}
// The sum that `start` began, (length).
constexpr Value all_reduce_done(Value start) {
  return raw(Op::all_reduce_done, start.dtype(), start.builder->graph.nodes[start.id].shape,
             start.builder->graph.nodes[start.id].imm, -1, start);
}

// What is wrong with collective i, null: nothing.
constexpr const char* collective_fault(const Graph& g, int i) {
  const Node& n = g.nodes[i];
  const Node& x = g.nodes[g.in(i, 0)];
  const Dims &from = g.dims(g.in(i, 0)), &to = g.dims(i);
  if (x.dtype != n.dtype || !is_float(n.dtype)) return "a collective of other than floats of one dtype";
  if (from.rank != 1 || to.rank != 1) return "a collective of what is no vector";
  if (n.op == Op::all_reduce_done)
    return x.op == Op::all_reduce_start && x.imm == n.imm && from == to
               ? nullptr
               : "all_reduce_done: not the request of its start";
  if (g.attributes(i) != 1) return "all_reduce_start: no begin";
  const i64 begin = g.attribute(i, 0);
  return begin >= 0 && begin + to.extent[0] <= from.extent[0] ? nullptr
                                                              : "all_reduce_start: beyond its operand";
}

}  // namespace WEFT_NAMESPACE::ir
