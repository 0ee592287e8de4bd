#pragma once
// Values of which each rank of a group has a part, as Megatron-LM has them: from the whole, which every rank
// has, to parts and back. Each is the other's gradient. Group: comm::tensor_parallel<degree, Backend>.
// (Shoeybi et al., "Megatron-LM", 2019; Korthikanti et al., "Reducing Activation Recomputation in Large
// Transformer Models", 2022.)

#include "weft/ir/group.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/loss/cross_entropy.hpp"

namespace WEFT_NAMESPACE {

// What: the shape, the axis and the degree.
WEFT_REFUSAL(
    PartsAreEqual,
    "tensor parallel: an axis is cut into as many equal parts as the group has ranks, and this one's "
    "extent is no multiple of the degree, or there is no such axis");
WEFT_REFUSAL(AddendsAreFloats,
             "sum_parts, scatter_sum: a sum over ranks is of floats: cast<f64>(x) before it");
// What: the logits' shape and the labels'.
WEFT_REFUSAL(PartLabelsMatch,
             "vocab_parallel_cross_entropy: labels are integers of the logits' shape without its last axis, "
             "which is this rank's part of the classes");

namespace detail {

template <class S, int Axis, int Degree, bool Cuts>
struct part_rule {
  static constexpr bool has_axis = axis_in_range(Axis, S::rank);
  static constexpr int axis = has_axis ? normalize_axis(Axis, S::rank) : 0;
  static constexpr bool ok = has_axis && (!Cuts || S::value.extent[axis] % Degree == 0);
  static constexpr Dims make() {
    Dims d = S::value;
    if (ok) d.extent[axis] = Cuts ? d.extent[axis] / Degree : d.extent[axis] * Degree;
    return d;
  }
  static constexpr Dims value = make();
};

}  // namespace detail

template <class Group>
struct CopyToPartsOp : Operation<CopyToPartsOp<Group>> {
  template <class X>
  static constexpr X apply(ir::Builder&, const X& x) {
    return {ir::group_copy(x.value, Group::degree)};
  }
};
template <class Group>
struct SumPartsOp : Operation<SumPartsOp<Group>> {
  template <class X>
  static constexpr X apply(ir::Builder&, const X& x) {
    constexpr bool ok = is_float(dtype_of<typename X::dtype>);
    static_assert(sizeof(AddendsAreFloats<ok, SumPartsOp, typename X::dtype>) > 0);
    return {ok ? ir::group_sum(x.value, Group::degree) : x.value};
  }
};
// Kind: gather, part or scatter.
template <class Group, GroupKind Kind, int Axis, bool ToParts>
struct GroupAxisOp : Operation<GroupAxisOp<Group, Kind, Axis, ToParts>> {
  template <class X>
  static constexpr auto apply(ir::Builder&, const X& x) {
    constexpr bool cuts = Kind != GroupKind::gather;
    using Rule = detail::part_rule<typename X::shape, Axis, Group::degree, cuts>;
    static_assert(sizeof(PartsAreEqual<Rule::ok, GroupAxisOp, typename X::shape>) > 0);
    constexpr bool adds = Kind == GroupKind::scatter || ToParts,
                   floats = is_float(dtype_of<typename X::dtype>);
    static_assert(sizeof(AddendsAreFloats < !adds || floats, GroupAxisOp, typename X::dtype >) > 0);
    using R = Expr<typename X::dtype, shape_of<Rule>>;
    if constexpr (!Rule::ok || (adds && !floats))
      return x;
    else if constexpr (Kind == GroupKind::gather)
      return R{ir::group_gather(x.value, Rule::axis, Group::degree, ToParts)};
    else if constexpr (Kind == GroupKind::part)
      return R{ir::group_part(x.value, Rule::axis, Group::degree)};
    else
      return R{ir::group_scatter(x.value, Rule::axis, Group::degree)};
  }
};
template <class Group>
struct PartIndexOp : Operation<PartIndexOp<Group>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X&) {
    const i64 ranks[1]{Group::degree};
    const ir::Value all{&b, b.leaf(ir::Op::iota, DType::i64, ir::make_dims(1, ranks), 0)};
    return Expr<i64, Shape<>>{ir::group_collective(all, {GroupKind::part, Group::degree})};
  }
};

// x, whole, for what works with parts: its gradient is the sum of the ranks'.
template <class Group, class X>
constexpr auto copy_to_parts(const X& x) {
  return CopyToPartsOp<Group>{}(x);
}
// The sum of what the ranks have, whole: every rank has the same bits.
template <class Group, class X>
constexpr auto sum_parts(const X& x) {
  return SumPartsOp<Group>{}(x);
}
// The ranks' parts along an axis put together, whole; for what works with the whole.
template <class Group, int Axis, class X>
constexpr auto gather_parts(const X& x) {
  return GroupAxisOp<Group, GroupKind::gather, Axis, false>{}(x);
}
// The same for what works with parts: each rank's part gets the sum of the ranks' gradients.
template <class Group, int Axis, class X>
constexpr auto gather_to_parts(const X& x) {
  return GroupAxisOp<Group, GroupKind::gather, Axis, true>{}(x);
}
// This rank's part of x, whole, along an axis.
template <class Group, int Axis, class X>
constexpr auto take_part(const X& x) {
  return GroupAxisOp<Group, GroupKind::part, Axis, false>{}(x);
}
// This rank's part along an axis of the sum of what the ranks have.
template <class Group, int Axis, class X>
constexpr auto scatter_sum(const X& x) {
  return GroupAxisOp<Group, GroupKind::scatter, Axis, false>{}(x);
}
// Which part this rank has, i64, in the trace of x.
template <class Group, class X>
constexpr auto part_index(const X& x) {
  return PartIndexOp<Group>{}(x);
}

// cross_entropy of logits (..., C / degree), of which each rank has its part of the classes, with labels
// (...) in [0, C), whole on every rank. Labels outside, or `ignored`, count neither in the sum nor in the
// mean. The logits are not put together: three numbers a row go between the ranks.
template <class Group, LossReduction R = LossReduction::mean, class X, class I>
constexpr auto vocab_parallel_cross_entropy(const X& given, const I& given_labels, i64 ignored = -100) {
  const auto logits = to_expr(given);
  const auto labels = to_expr(given_labels);
  using S = typename decltype(logits)::shape;
  using L = typename decltype(labels)::shape;
  constexpr bool ok = is_integer(dtype_of<typename decltype(labels)::dtype>) && S::rank == L::rank + 1 &&
                      std::is_same_v<L, shape_of<detail::without_axis<S, -1>>>;
  static_assert(sizeof(PartLabelsMatch<ok, S, L>) > 0);
  if constexpr (!ok) {
    return detail::reduced_loss<R>(detail::refused<typename decltype(logits)::dtype, L>(logits, labels));
  } else {
    constexpr i64 classes = S::value.extent[S::rank - 1];
    const auto top = stop_gradient(max<0>(gather_parts<Group, 0>(unsqueeze<0>(max<-1>(logits)))));
    const auto shifted = logits - unsqueeze<-1>(top);
    const auto total = sum_parts<Group>(sum<-1>(exp(shifted)));
    const auto own = labels - part_index<Group>(logits) * classes;
    const auto inside = logical_and(own >= 0, own < classes);
    const auto place = unsqueeze<-1>(where(inside, own, 0));
    const auto picked = sum_parts<Group>(where(inside, squeeze<-1>(gather<-1>(shifted, place)), 0));
    const auto counts =
        logical_and(logical_and(labels >= 0, labels < classes * Group::degree), ne(labels, ignored));
    const auto rows = where(counts, log(total) - picked, 0);
    if constexpr (R == LossReduction::mean)
      return sum<>(rows) / sum<>(cast<typename decltype(rows)::dtype>(counts));
    else
      return detail::reduced_loss<R>(rows);
  }
}

}  // namespace WEFT_NAMESPACE
