#pragma once
// Losses that want a margin between scores, with torch.nn.functional's formulae; the first template argument
// reduces, the mean over all elements where nothing is said. Targets y are -1 or 1 unless they are labels.

#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/nn/shrink.hpp"
#include "weft/ops/nn/similarity.hpp"
#include "weft/ops/reduce/composed.hpp"

namespace WEFT_NAMESPACE {

// What: the scores' shape, then the labels'.
WEFT_REFUSAL(MarginLabelsFit,
             "multi_margin_loss, multilabel_margin_loss: scores are (C) or (N, C); the labels are integers, "
             "one for each row (multi_margin_loss) or as many as scores (multilabel_margin_loss)");

WEFT_REFUSAL(MarginWeightsFit,
             "multi_margin_loss: the class weights must be a vector with one number for each class");
WEFT_REFUSAL(DistanceIsFunction,
             "triplet_margin_with_distance_loss: the fourth argument is the distance, a function of two "
             "tensors; the margin comes after it");

namespace detail {

// max(0, x), with gradient 0 at 0.
template <class X>
constexpr auto above_zero(const X& x) {
  return where(le(x, 0), 0, x);
}

struct MarginRankingF {
  constexpr auto operator()(const auto& a, const auto& b, const auto& y, const auto& margin) const {
    return above_zero(add(neg(mul(y, sub(a, b))), margin));
  }
};
struct HingeEmbeddingF {
  constexpr auto operator()(const auto& x, const auto& y, const auto& margin) const {
    return add(where(eq(y, 1), 0, above_zero(sub(margin, x))), where(eq(y, -1), 0, x));
  }
};

// -(y log sigmoid(x) + (1 - y) log sigmoid(-x)), the mean over the classes (the last axis).
struct MultilabelSoftMarginF {
  constexpr auto operator()(const auto& x, const auto& y) const { return mean<-1>(each(x, y)); }
  constexpr auto operator()(const auto& x, const auto& y, const auto& w) const {
    return mean<-1>(mul(each(x, y), w));
  }
  static constexpr auto each(const auto& x, const auto& y) {
    return add(mul(y, softplus_of(neg(x))), mul(sub(1, y), softplus_of(x)));
  }
};

// 1 - cos for y = 1, max(0, cos - margin) for y = -1; x1 and x2 (..., D), y (...).
// cos: x1 . x2 / sqrt((|x1|^2 + eps) (|x2|^2 + eps)), eps = 1e-12.
template <LossReduction R>
struct CosineEmbedding : Operation<CosineEmbedding<R>> {
  template <ExprLike A, ExprLike B, class Y, class M>
  static constexpr auto apply(ir::Builder&, const A& x1, const B& x2, const Y& y, const M& margin) {
    static_assert(sizeof(ShapesEqual<std::is_same_v<typename A::shape, typename B::shape>, CosineEmbedding,
                                     typename A::shape, typename B::shape>) > 0);
    using T = opmath<common<A, B>>;
    const auto p = cast<T>(x1);
    const auto q = cast<T>(x2);
    const auto a = add(sum<-1>(mul(p, p)), 1e-12);
    const auto b = add(sum<-1>(mul(q, q)), 1e-12);
    const auto cosine = div(sum<-1>(mul(p, q)), sqrt(mul(a, b)));
    using SC = typename decltype(cosine)::shape;
    static_assert(
        sizeof(
            ShapesEqual<std::is_same_v<SC, shape_of_operand<Y>>, CosineEmbedding, SC, shape_of_operand<Y>>) >
        0);
    const auto apart = where(eq(y, -1), above_zero(sub(cosine, margin)), 0);
    return reduced_loss<R>(cast<floating<common<A, B>>>(add(where(eq(y, 1), sub(1, cosine), 0), apart)));
  }
};

// |a - b + eps|_P along the last axis.
template <int P>
constexpr auto pairwise(const auto& a, const auto& b, const auto& eps) {
  return norm<-1>(add(sub(a, b), eps), order<P>);
}
template <LossReduction R, int P, bool Swap>
struct TripletMargin : Operation<TripletMargin<R, P, Swap>> {
  template <ExprLike A, ExprLike B, ExprLike C, class M, class E>
  static constexpr auto apply(ir::Builder&, const A& anchor, const B& positive, const C& negative,
                              const M& margin, const E& eps) {
    constexpr bool same = std::is_same_v<typename A::shape, typename B::shape> &&
                          std::is_same_v<typename A::shape, typename C::shape>;
    static_assert(
        sizeof(ShapesEqual<same, TripletMargin, typename A::shape, typename B::shape, typename C::shape>) >
        0);
    const auto near = pairwise<P>(anchor, positive, eps);
    auto far = pairwise<P>(anchor, negative, eps);
    if constexpr (Swap) {
      const auto other = pairwise<P>(positive, negative, eps);
      far = where(lt(other, far), other, far);
    }
    return reduced_loss<R>(above_zero(add(sub(near, far), margin)));
  }
};

// As TripletMargin, of distances: anchor and positive, anchor and negative, with Swap positive and negative.
template <LossReduction R>
struct TripletOfDistances : Operation<TripletOfDistances<R>> {
  template <class A, class B, class M>
  static constexpr auto apply(ir::Builder&, const A& near, const B& far, const M& margin) {
    check<A, B>();
    return reduced_loss<R>(clamp_min(add(sub(near, far), margin), 0));
  }
  template <class A, class B, class C, class M>
  static constexpr auto apply(ir::Builder&, const A& near, const B& far, const C& other, const M& margin) {
    check<A, B, C>();
    return reduced_loss<R>(clamp_min(add(sub(near, minimum(far, other)), margin), 0));
  }

 private:
  template <class A, class... More>
  static constexpr void check() {
    constexpr bool same = (std::is_same_v<shape_of_operand<A>, shape_of_operand<More>> && ...);
    static_assert(
        sizeof(ShapesEqual<same, TripletOfDistances, shape_of_operand<A>, shape_of_operand<More>...>) > 0);
  }
};

struct PairwiseDistance {
  constexpr auto operator()(const auto& a, const auto& b) const { return pairwise_distance(a, b); }
};

WEFT_REFUSAL(MarginPower,
             "multi_margin_loss: the margins are summed as they are or squared, the power being 1 or 2: "
             "multi_margin_loss<reduction::mean, 2>(x, labels)");
// sum over c != y of w_y max(0, margin - x_y + x_c)^P / C; x (..., C), y (...).
template <LossReduction R, int P>
struct MultiMargin : Operation<MultiMargin<R, P>> {
  static_assert(sizeof(MarginPower<(P == 1 || P == 2), MultiMargin>) > 0);
  template <ExprLike X, ExprLike Y, class M>
  static constexpr auto apply(ir::Builder& b, const X& x, const Y& y, const M& margin) {
    if constexpr (X::rank == 0 && Y::rank == 0)  // one class
      return run(b, reshape<1>(x), y, margin, nullptr);
    else
      return run(b, x, y, margin, nullptr);
  }
  template <ExprLike X, ExprLike Y, class M, class W>
  static constexpr auto apply(ir::Builder& b, const X& x, const Y& y, const M& margin, const W& weight) {
    if constexpr (X::rank == 0 && Y::rank == 0)
      return run(b, reshape<1>(x), y, margin, weight);
    else
      return run(b, x, y, margin, weight);
  }

 private:
  template <class X, class Y, class M, class W>
  static constexpr auto run(ir::Builder& b, const X& scores, const Y& y, const M& margin, const W& weight) {
    using Rule = without_axis<typename X::shape, -1>;
    constexpr bool ok =
        X::rank >= 1 && Y::shape::value == Rule::value && is_integer(dtype_of<typename Y::dtype>);
    static_assert(
        sizeof(MarginLabelsFit<ok, MultiMargin, typename X::shape, typename Y::shape, typename Y::dtype>) >
        0);
    using T = floating<typename X::dtype>;
    if constexpr (ok) {
      using Wide = opmath<typename X::dtype>;
      const auto x = cast<Wide>(scores);
      constexpr Dims d = X::shape::value;
      const ir::Value label = ir::reshape(y.value, ir::reduced(d, Rule::set));
      ir::mark_labels(label, Rule::classes, false, 0);
      const ir::Value column{&b, b.leaf(ir::Op::iota, label.dtype(), d, static_cast<u64>(Rule::axis))};
      const Expr<bool, typename X::shape> hit{ir::binary(ir::Op::eq, column, label)};
      const auto own = sum<-1>(where(hit, x, 0), keepdim);
      auto each = above_zero(add(sub(x, own), margin));
      if constexpr (P == 2) each = mul(each, each);
      if constexpr (is_expr<W>) {
        static_assert(sizeof(MarginWeightsFit<std::is_same_v<typename W::shape, Shape<Rule::classes>>,
                                              MultiMargin, typename X::shape, typename W::shape>) > 0);
        const Counted rows = counted_labels(b, label, Rule::classes, i64{-1});
        const ir::Value w = row_weights(rows, ir::cast(weight.value, dtype_of<Wide>));
        each.value = each.value * w;
      }
      const auto row = mul(sum<-1>(where(hit, 0, each)), share_of(Rule::classes));
      return reduced_loss<R>(cast<T>(row));
    } else {
      return refused<T, std::conditional_t<R == LossReduction::none, shape_of<Rule>, Shape<>>>(scores, y);
    }
  }
};

// sum over labels j and over c that is no label of max(0, 1 - (x_j - x_c)) / C; the labels of a row end at
// its first negative one.
template <LossReduction R>
struct MultilabelMargin : Operation<MultilabelMargin<R>> {
  template <ExprLike X, ExprLike Y>
  static constexpr auto apply(ir::Builder& b, const X& x, const Y& y) {
    if constexpr (X::rank == 0 && Y::rank == 0)  // one class
      return run(b, reshape<1>(x), reshape<1>(y));
    else
      return run(b, x, y);
  }

 private:
  template <class X, class Y>
  static constexpr auto run(ir::Builder& b, const X& x, const Y& y) {
    constexpr Dims d = X::shape::value;
    using Rule = without_axis<typename X::shape, -1>;
    constexpr bool ok =
        (X::rank == 1 || X::rank == 2) && Y::shape::value == d && is_integer(dtype_of<typename Y::dtype>);
    static_assert(
        sizeof(
            MarginLabelsFit<ok, MultilabelMargin, typename X::shape, typename Y::shape, typename Y::dtype>) >
        0);
    using T = typename X::dtype;
    if constexpr (ok) {
      constexpr i64 c = Rule::classes, n = c > 0                  ? X::shape::size / c
                                           : Rule::value.rank > 0 ? Rule::value.extent[0]
                                                                  : 1;
      const auto scores = reshape<n, c>(cast<opmath<T>>(x));
      const auto labels = reshape<n, c>(y);
      // (row, place of a label, class): whether the label names the class, and stands before the end
      const ir::Value places{&b, b.leaf(ir::Op::iota, DType::i32, Shape<n, c>::value, 1)};
      const Expr<i32, Shape<n, c>> place{places};
      const auto end = min<-1>(where(lt(labels, 0), place, static_cast<i32>(c)), keepdim);
      const ir::Value classes{&b,
                              b.leaf(ir::Op::iota, dtype_of<typename Y::dtype>, Shape<n, c, c>::value, 2)};
      const Expr<typename Y::dtype, Shape<n, c, c>> named{classes};
      const auto given = reshape<n, c, 1>(lt(place, end));
      const auto names = bitwise_and(eq(named, reshape<n, c, 1>(labels)), given);
      const auto taken = max<1>(cast<i32>(names));  // (row, class)
      const auto own = sum<2>(where(names, reshape<n, 1, c>(scores), 0), keepdim);
      const auto each = above_zero(add(sub(reshape<n, 1, c>(scores), own), 1));
      const auto counts = bitwise_and(given, eq(reshape<n, 1, c>(taken), 0));
      const auto row = mul(sum<1, 2>(where(counts, each, 0)), share_of(c));
      using Row = Expr<opmath<T>, shape_of<Rule>>;
      return reduced_loss<R>(cast<T>(Row{ir::reshape(row.value, Rule::value)}));
    } else {
      return refused<T, std::conditional_t<R == LossReduction::none, shape_of<Rule>, Shape<>>>(x, y);
    }
  }
};

}  // namespace detail

// max(0, -y (a - b) + margin)
template <LossReduction R = reduction::mean, class A, class B, class Y, Scalar M = double>
constexpr auto margin_ranking_loss(const A& a, const B& b, const Y& y, M margin = 0) {
  return detail::ElementLoss<detail::MarginRankingF, R>{}(a, b, y, static_cast<double>(margin));
}
// x where y = 1, max(0, margin - x) where y = -1.
template <LossReduction R = reduction::mean, class X, class Y, Scalar M = double>
constexpr auto hinge_embedding_loss(const X& x, const Y& y, M margin = 1) {
  return detail::ElementLoss<detail::HingeEmbeddingF, R>{}(x, y, static_cast<double>(margin));
}
template <LossReduction R = reduction::mean, class A, class B, class Y, Scalar M = double>
constexpr auto cosine_embedding_loss(const A& x1, const B& x2, const Y& y, M margin = 0) {
  return detail::CosineEmbedding<R>{}(x1, x2, y, static_cast<double>(margin));
}
// max(0, |a - p| - |a - n| + margin); Swap: |p - n| where it is less than |a - n|.
template <LossReduction R = reduction::mean, int P = 2, bool Swap = false, class A, class B, class C,
          Scalar M = double, Scalar E = double>
constexpr auto triplet_margin_loss(const A& anchor, const B& positive, const C& negative, M margin = 1,
                                   E eps = E(1e-6)) {
  return detail::TripletMargin<R, P, Swap>{}(anchor, positive, negative, static_cast<double>(margin),
                                             static_cast<double>(eps));
}
// max(0, d(a, p) - d(a, n) + margin) for a distance of your own: a function of two tensors, such as
// [](auto x, auto y) { return 1 - cosine_similarity<-1>(x, y); }; pairwise_distance where none is given.
// Swap: d(p, n) where it is less than d(a, n).
template <LossReduction R = reduction::mean, bool Swap = false, class A, class B, class C,
          class D = detail::PairwiseDistance>
constexpr auto triplet_margin_with_distance_loss(const A& anchor, const B& positive, const C& negative,
                                                 const D& distance = {}, double margin = 1) {
  constexpr bool ok = std::is_invocable_v<const D&, const A&, const B&>;
  static_assert(sizeof(DistanceIsFunction<ok, detail::TripletOfDistances<R>, D>) > 0);
  if constexpr (!ok)
    return sub(anchor, positive);
  else if constexpr (Swap)
    return detail::TripletOfDistances<R>{}(distance(anchor, positive), distance(anchor, negative),
                                           distance(positive, negative), margin);
  else
    return detail::TripletOfDistances<R>{}(distance(anchor, positive), distance(anchor, negative), margin);
}
template <LossReduction R = reduction::mean, int P = 1, class X, class Y>
constexpr auto multi_margin_loss(const X& x, const Y& labels, double margin = 1) {
  return detail::MultiMargin<R, P>{}(x, labels, margin);
}
template <LossReduction R = reduction::mean, int P = 1, class X, class Y, Operand W>
constexpr auto multi_margin_loss(const X& x, const Y& labels, double margin, const W& weight) {
  return detail::MultiMargin<R, P>{}(x, labels, margin, weight);
}
template <LossReduction R = reduction::mean, class X, class Y>
constexpr auto multilabel_margin_loss(const X& x, const Y& labels) {
  return detail::MultilabelMargin<R>{}(x, labels);
}
// Targets are 0 or 1; a weight (C) multiplies the classes.
template <LossReduction R = reduction::mean, class X, class Y>
constexpr auto multilabel_soft_margin_loss(const X& x, const Y& target) {
  return detail::ElementLoss<detail::MultilabelSoftMarginF, R>{}(x, target);
}
template <LossReduction R = reduction::mean, class X, class Y, class W>
constexpr auto multilabel_soft_margin_loss(const X& x, const Y& target, const W& weight) {
  return detail::ElementLoss<detail::MultilabelSoftMarginF, R>{}(x, target, weight);
}

}  // namespace WEFT_NAMESPACE
