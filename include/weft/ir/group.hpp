#pragma once
// What ranks that hold parts of one value do together: the collectives of tensor parallelism, as nodes. A
// group is `degree` ranks, known while compiling; which of them a process is, it learns at run time. Law:
// every rank's program has the same of these in the same order, and a sum adds 0, then what the ranks have in
// their order, so that all get the same bits.
//
// A value is whole, the same on every rank of the group, or each rank has a part of its own; so is its
// gradient. These nodes lead from one to the other, and each one's gradient leads back: copy and sum, gather
// and part, gather of parts that are read in part and scatter. (Shoeybi et al., "Megatron-LM", 2019;
// Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022.)

#include "weft/core/group_call.hpp"
#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::ir {

// The shape of a call's result; x's is wrong where its rank is -1.
constexpr Dims group_dims(const GroupCall& call, const Dims& x) {
  if (call.kind == GroupKind::sum) return x;
  Dims out;
  if (call.kind == GroupKind::gather) {
    out.rank = x.rank < max_rank ? x.rank + 1 : -1;
    out.extent[0] = call.degree;
    for (int k = 1; k < out.rank; ++k) out.extent[k] = x.extent[k - 1];
  } else {
    out.rank = x.rank > 0 && x.extent[0] == call.degree ? x.rank - 1 : -1;
    for (int k = 0; k < out.rank; ++k) out.extent[k] = x.extent[k + 1];
  }
  return out;
}

constexpr Value group_collective(Value x, const GroupCall& call) {
  if (call.degree == 1) return call.kind == GroupKind::sum ? x : reshape(x, group_dims(call, x.dims()));
  const DType given = x.dtype();
  const bool widens = adds(call.kind) && given != DType::f32 && given != DType::f64;
  if (widens) x = cast(x, DType::f32);
  const int shape = x.builder->shape(group_dims(call, x.dims()));
  const Value y = raw(Op::group_collective, x.dtype(), shape, call.encode(), -1, x);
  return widens ? cast(y, given) : y;
}
// x, whole, for readers that have parts: its gradient is the sum of theirs.
constexpr Value group_copy(Value x, int degree) {
  if (degree == 1) return x;
  return raw(Op::group_copy, x.dtype(), x.node().shape, static_cast<u64>(degree), -1, x);
}
constexpr Value group_sum(Value x, int degree) { return group_collective(x, {GroupKind::sum, degree}); }

// The parts (..., length / degree, ...) of a value along an axis, in a row: (degree, ..., length / degree,
// ...).
constexpr Value parts_in_front(Value x, int axis, int degree) {
  Dims cut;
  cut.rank = x.dims().rank + 1;
  i64 order[max_rank]{axis};
  for (int k = 0, to = 0; k < x.dims().rank; ++k) {
    if (k == axis) cut.extent[to++] = degree;
    cut.extent[to++] = x.dims().extent[k] / (k == axis ? degree : 1);
  }
  for (int k = 0, to = 1; k < cut.rank; ++k)
    if (k != axis) order[to++] = k;
  return permute(reshape(x, cut), order);
}
constexpr Value parts_joined(Value x, int axis) {
  Dims whole;
  whole.rank = x.dims().rank - 1;
  i64 order[max_rank]{};
  for (int k = 0; k < x.dims().rank; ++k) order[k] = k < axis ? k + 1 : k == axis ? 0 : k;
  for (int k = 0; k < whole.rank; ++k)
    whole.extent[k] = x.dims().extent[k + 1] * (k == axis ? x.dims().extent[0] : 1);
  return reshape(permute(x, order), whole);
}
// Along an axis of x: the whole of the ranks' parts; this rank's part of a whole, or of a sum of addends.
constexpr Value group_gather(Value x, int axis, int degree, bool to_parts) {
  return parts_joined(group_collective(x, {GroupKind::gather, degree, to_parts}), axis);
}
constexpr Value group_part(Value x, int axis, int degree) {
  return group_collective(parts_in_front(x, axis, degree), {GroupKind::part, degree});
}
constexpr Value group_scatter(Value x, int axis, int degree) {
  return group_collective(parts_in_front(x, axis, degree), {GroupKind::scatter, degree});
}

// What is wrong with node i, a group_collective; null: nothing.
constexpr const char* group_fault(const Graph& g, int i) {
  const Node& n = g.nodes[i];
  const GroupCall call = GroupCall::decode(n.imm);
  if (call.degree < 2) return "group_collective: a group of fewer than two ranks";
  if (g.nodes[g.in(i, 0)].dtype != n.dtype) return "group_collective: two dtypes";
  if (adds(call.kind) && n.dtype != DType::f32 && n.dtype != DType::f64)
    return "group_collective: a sum over ranks is of f32 or f64";
  return group_dims(call, g.dims(g.in(i, 0))) == g.dims(i) ? nullptr : "group_collective: another shape";
}

}  // namespace WEFT_NAMESPACE::ir
