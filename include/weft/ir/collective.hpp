#pragma once
// What the ranks of a distributed program do together, as nodes: one that begins it and one that waits for
// it, so that what lies between them runs meanwhile. Law: every rank's program has the same collectives in
// the same order; nothing else reads the operand of a sum behind its start, which works where the operand
// lies.
//
// A vector may be shared out: of `elements` elements, dealt in grains of so many, each rank has a piece, the
// same number of grains for all but the last (comm/shares.hpp). Which piece a rank has is known at run time.

#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

// A vector that the ranks share: the elements of the whole, and how many of them are dealt together.
struct SharedVector {
  i64 elements = 0, grain = 1;
};

// Begins the sum of elements [begin, begin + length) of `flat`, a vector, as request number `request`.
constexpr Value all_reduce_start(Value flat, i64 begin, i64 length, int request) {
  Builder& b = *flat.builder;
  const i64 extent[1]{length};
  return raw(Op::all_reduce_start, flat.dtype(), b.shape(make_dims(1, extent)), static_cast<u64>(request),
             b.list(&begin, 1), flat);
}
// The same of what lies in this rank's piece of `shared`, whose element k is flat's; the sums of the others'
// pieces are theirs.
constexpr Value reduce_scatter_start(Value flat, i64 begin, i64 length, const SharedVector& shared,
                                     int request) {
  Builder& b = *flat.builder;
  const i64 extent[1]{length}, list[3]{begin, shared.elements, shared.grain};
  return raw(Op::reduce_scatter_start, flat.dtype(), b.shape(make_dims(1, extent)), static_cast<u64>(request),
             b.list(list, 3), flat);
}
// Begins to give all ranks each one's piece of x, a vector, of which a rank has `grain` elements at a time.
constexpr Value all_gather_start(Value x, i64 grain, int request) {
  Builder& b = *x.builder;
  const i64 list[3]{0, x.dims().extent[0], grain};
  return raw(Op::all_gather_start, x.dtype(), x.node().shape, static_cast<u64>(request), b.list(list, 3), x);
}
// Begins to give all ranks x as `dtype`: state, or a trip's slice of it, that is contiguous and lies in the
// vector of state that ranks share out, of which this rank has its piece alone. Nothing else reads x.
constexpr Value all_gather_state_start(Value x, DType dtype, const SharedVector& shared, int request) {
  Builder& b = *x.builder;
  const i64 list[3]{0, shared.elements, shared.grain};
  return raw(Op::all_gather_state_start, dtype, x.node().shape, static_cast<u64>(request), b.list(list, 3),
             x);
}
// Begins the sum over ranks of x; this rank's piece of it is added to what it has of `place`, in a trip of a
// loop the slice of a stack. That is contiguous and lies in a vector of the optimiser's state that ranks
// share out, which begins at byte `at` of its block; nothing but what depends on the done reads or writes it.
// x is done with when it has begun, and, of bf16, is added to f32.
constexpr Value reduce_scatter_state_start(Value x, Value place, i64 at, const SharedVector& shared,
                                           int request) {
  Builder& b = *x.builder;
  const i64 list[3]{at, shared.elements, shared.grain}, one[1]{1};
  return raw(Op::reduce_scatter_state_start, x.dtype(), b.shape(make_dims(1, one)), static_cast<u64>(request),
             b.list(list, 3), x, place);
}
inline constexpr int most_scattered = 32;  // operands
// Begins the sums of `operands`, at most so many, which lie at `offsets` in the vector that `slot` has and
// the ranks share; a rank's piece of them is added to what it has in `slot`, which nothing but what depends
// on the done reads or writes. The operands are done with when it has begun; those
// of bf16 are added to a slot of f32.
constexpr Value reduce_scatter_into_start(Builder& b, int slot, const SharedVector& shared,
                                          const List<int>& operands, const List<i64>& offsets, int request) {
  List<i64> list;
  list.push(slot);
  list.push(shared.elements);
  list.push(shared.grain);
  for (const i64 offset : offsets) list.push(offset);
  const i64 one[1]{1};
  Node node{Op::reduce_scatter_into_start, b.graph.nodes[operands[0]].dtype};
  node.shape = b.shape(make_dims(1, one));
  node.imm = static_cast<u64>(request);
  node.list = b.list(list.data(), list.size());
  return {&b, b.add(node, operands.data(), operands.size())};
}
// Of each element of x, a vector of f32, the largest that a rank has; NaN where one has that. It has ended
// when what comes behind it begins.
constexpr Value all_reduce_max(Value x, int request) {
  Builder& b = *x.builder;
  const i64 begin = 0;
  return raw(Op::all_reduce_max, x.dtype(), x.node().shape, static_cast<u64>(request), b.list(&begin, 1), x);
}
// (1), when what x is has ended: a start with this request, in a trip of a loop before this one, or ahead of
// or behind the loop; x is carried into a trip, or out of the loop. In a trip that none is before, if nothing
// was begun ahead of the loop, it waits for nothing. Nothing reads x but what depends on this.
constexpr Value collective_await(Value x, int request) {
  const i64 one[1]{1};
  return raw(Op::collective_await, x.dtype(), x.builder->shape(make_dims(1, one)), static_cast<u64>(request),
             -1, x);
}
// What `start` began, when it has ended: a vector of start's length.
constexpr Value collective_done(Value start) {
  const Op done =
      start.op() == Op::all_reduce_start       ? Op::all_reduce_done
      : start.op() == Op::reduce_scatter_start ? Op::reduce_scatter_done
      : start.op() == Op::reduce_scatter_into_start || start.op() == Op::reduce_scatter_state_start
          ? Op::reduce_scatter_into_done
          : Op::all_gather_done;
  return raw(done, start.dtype(), start.node().shape, start.node().imm, -1, start);
}
// The sum that `start` began, (length).
constexpr Value all_reduce_done(Value start) { return collective_done(start); }

constexpr const char* reduce_scatter_into_fault(const Graph& g, int i) {
  const Node& n = g.nodes[i];
  if (n.arity < 1 || g.attributes(i) != 3 + n.arity)
    return "reduce_scatter_into_start: one offset an operand";
  const i64 number = g.attribute(i, 0);
  if (number < 0 || number >= g.slots.size()) return "reduce_scatter_into_start: no slot";
  const Slot& slot = g.slots[static_cast<int>(number)];
  const bool widens = n.dtype == DType::bf16 && slot.dtype == DType::f32;
  if (slot.space != Space::optimizer || !(widens || slot.dtype == n.dtype))
    return "reduce_scatter_into_start: no slot of this dtype";
  if (g.attribute(i, 2) < 1) return "a vector is shared, and it does not say how";
  i64 end = 0;
  for (int k = 0; k < n.arity; ++k) {
    if (g.nodes[g.in(i, k)].dtype != n.dtype || !is_float(n.dtype))
      return "a collective of other than floats of one dtype";
    if (g.attribute(i, 3 + k) < end) return "reduce_scatter_into_start: operands overlap or are out of order";
    end = g.attribute(i, 3 + k) + g.dims(g.in(i, k)).size();
  }
  return end <= g.attribute(i, 1) ? nullptr : "a collective beyond the vector that is shared";
}
// What is wrong with collective i, null: nothing.
constexpr const char* collective_fault(const Graph& g, int i) {
  const Node& n = g.nodes[i];
  if (n.op == Op::reduce_scatter_into_start) return reduce_scatter_into_fault(g, i);
  const Node& x = g.nodes[g.in(i, 0)];
  const Dims &from = g.dims(g.in(i, 0)), &to = g.dims(i);
  const auto done = [&](Op start) { return x.op == start && x.imm == n.imm && from == to; };
  if (n.op == Op::reduce_scatter_state_start) {
    const Node& place = g.nodes[g.in(i, 1)];
    if (!is_float(x.dtype) || x.dtype != n.dtype || to.size() != 1)
      return "a collective of other than floats";
    if (place.dtype != x.dtype && !(x.dtype == DType::bf16 && place.dtype == DType::f32))
      return "reduce_scatter_state_start: a place of another dtype";
    if (g.attributes(i) != 3 || g.attribute(i, 2) < 1) return "state is shared, and it does not say how";
    return from == g.dims(g.in(i, 1)) ? nullptr : "reduce_scatter_state_start: a place of another shape";
  }
  if (n.op == Op::all_gather_state_start) {
    if (!is_float(x.dtype) || !is_float(n.dtype)) return "a collective of other than floats";
    if (g.attributes(i) != 3 || g.attribute(i, 2) < 1) return "state is shared, and it does not say how";
    return from == to ? nullptr : "all_gather_state_start: not of the whole operand";
  }
  if (n.op == Op::collective_await)
    return ((x.op == Op::input && g.is_body) || x.op == Op::result) && x.dtype == n.dtype && to.size() == 1
               ? nullptr
               : "collective_await: not of what is carried into a trip or out of a loop";
  if (n.op == Op::all_gather_done && x.op == Op::all_gather_state_start)
    return done(x.op) && x.dtype == n.dtype ? nullptr : "all_gather_done: not the request of its start";
  if (x.dtype != n.dtype || !is_float(n.dtype)) return "a collective of other than floats of one dtype";
  if (from.rank != 1 || to.rank != 1) return "a collective of what is no vector";
  if (n.op == Op::all_reduce_done)
    return done(Op::all_reduce_start) ? nullptr : "all_reduce_done: not the request of its start";
  if (n.op == Op::reduce_scatter_done)
    return done(Op::reduce_scatter_start) ? nullptr : "reduce_scatter_done: not the request of its start";
  if (n.op == Op::reduce_scatter_into_done)
    return done(Op::reduce_scatter_into_start) || done(Op::reduce_scatter_state_start)
               ? nullptr
               : "reduce_scatter_into_done: not the request of its start";
  if (n.op == Op::all_gather_done)
    return done(Op::all_gather_start) ? nullptr : "all_gather_done: not the request of its start";
  if (n.op == Op::all_reduce_max)
    return n.dtype == DType::f32 && from == to && g.attributes(i) == 1
               ? nullptr
               : "all_reduce_max: not of a vector of f32";
  const bool sum = n.op == Op::all_reduce_start;
  if (g.attributes(i) != (sum ? 1 : 3))
    return sum ? "all_reduce_start: no begin" : "a vector is shared, and it does not say how";
  const i64 begin = g.attribute(i, 0), length = to.extent[0];
  if (begin < 0 || begin + length > from.extent[0])
    return sum                                ? "all_reduce_start: beyond its operand"
           : n.op == Op::reduce_scatter_start ? "reduce_scatter_start: beyond its operand"
                                              : "all_gather_start: beyond its operand";
  if (sum) return nullptr;
  if (g.attribute(i, 2) < 1 || begin + length > g.attribute(i, 1))
    return "a collective beyond the vector that is shared";
  return n.op != Op::all_gather_start || (begin == 0 && from == to)
             ? nullptr
             : "all_gather_start: not of a whole vector";
}

}  // namespace WEFT_NAMESPACE::ir
