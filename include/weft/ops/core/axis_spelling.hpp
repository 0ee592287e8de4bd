#pragma once
// PyTorch's options among the arguments: a truth value for keepdim or descending, a norm's order, one bound
// of clamp, and whatever else stands behind the operand of a function whose axes are in <>.

#include "weft/ops/core/spelling.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(OptionIsWord,
             "options are words, and not truth values, and an axis is a template argument: write sum<1>(x, "
             "keepdim), max<1>(x, keepdim), sort<-1>(x, descending), topk<2>(x, smallest)");
WEFT_REFUSAL(OrderIsTemplateArgument,
             "the order of a norm is a word behind the operand, and its axes are template arguments: write "
             "norm(x) for order 2, norm(x, order<1>), norm<1>(x, order<1>) along an axis, matrix_norm(x, "
             "frobenius)");
WEFT_REFUSAL(BoundsAreTwo,
             "clamp takes both bounds, clamp(x, 0, 1): of one write clamp_min(x, 0) or clamp_max(x, 1)");
WEFT_REFUSAL(
    BehindAxes,
    "an argument behind the operand does not fit: what decides a shape stands in <>, split<4, 1>(x), "
    "chunk<2, 1>(x), sum<1>(x); options are words, sum<1>(x, keepdim), sort<-1>(x, descending), topk<2>(x, "
    "smallest); an index is a tensor of integers, index_select<1>(x, i), take(x, i)");

namespace spelled {
struct take;
}

// (..., is_causal = true) of PyTorch would be a mask here.
WEFT_REFUSAL(CausalIsOption,
             "is_causal is an option among the template arguments: write "
             "scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v)");
template <Spelled Q, Spelled K, Spelled V>
constexpr auto scaled_dot_product_attention(const Q& q, const K&, const V&, bool) {
  return detail::respelled<CausalIsOption<false, Q, K, V>>(q);
}

template <Spelled Q, Spelled K, Spelled V>
constexpr auto scaled_dot_product_attention(const Q& q, const K&, const V&, const detail::KeywordArguments&) {
  return detail::respelled<KeywordsAreArguments<false, spelled::scaled_dot_product_attention, Q, K, V>>(q);
}

// sort(x, true), sum(x, 1, true), sum<1>(x, true).
#define WEFT_CHOSEN(name, results)                                                            \
  template <int First, int... Rest, Spelled X, class B>                                       \
  requires std::is_same_v<B, bool>                                                            \
  constexpr auto name(const X& x, B) {                                                        \
    return detail::results##_of(detail::respelled<OptionIsWord<false, spelled::name, X>>(x)); \
  }                                                                                           \
  template <Spelled X, class B>                                                               \
  requires std::is_same_v<B, bool>                                                            \
  constexpr auto name(const X& x, const B&) {                                                 \
    return detail::results##_of(detail::respelled<OptionIsWord<false, spelled::name, X>>(x)); \
  }                                                                                           \
  template <Spelled X, class B>                                                               \
  requires std::is_same_v<B, bool>                                                            \
  constexpr auto name(const X& x, const int&, const B&) {                                     \
    return detail::results##_of(detail::respelled<OptionIsWord<false, spelled::name, X>>(x)); \
  }
WEFT_CHOSEN(sum, one)
WEFT_CHOSEN(prod, one)
WEFT_CHOSEN(mean, one)
WEFT_CHOSEN(amax, one)
WEFT_CHOSEN(amin, one)
WEFT_CHOSEN(any, one)
WEFT_CHOSEN(all, one)
WEFT_CHOSEN(argmax, one)
WEFT_CHOSEN(argmin, one)
WEFT_CHOSEN(logsumexp, one)
WEFT_CHOSEN(sort, pair)
WEFT_CHOSEN(argsort, one)
WEFT_CHOSEN(topk, pair)
#undef WEFT_CHOSEN

// PyTorch's keyword arguments and lists, {.keepdim = true} and {0, 1}.
namespace detail {
struct BracedArguments {
  AnyWord dim, keepdim, dtype, k, largest, descending, sorted, stable, unbiased, correction, out;
};
}  // namespace detail
// Of axes in <> and anything behind the operand that no form of the function takes.
#define WEFT_BEHIND(name, results)                                                             \
  template <auto First, auto... Rest, Spelled X, class B, class... More>                       \
  constexpr auto name(const X& x, const B&, const More&...) {                                  \
    return detail::results##_of(detail::respelled<BehindAxes<false, spelled::name, X, B>>(x)); \
  }                                                                                            \
  template <auto First, auto... Rest, Spelled X>                                               \
  constexpr auto name(const X& x, const detail::BracedArguments&) {                            \
    return detail::results##_of(detail::respelled<BehindAxes<false, spelled::name, X>>(x));    \
  }
WEFT_BEHIND(sum, one)
WEFT_BEHIND(mean, one)
WEFT_BEHIND(prod, one)
WEFT_BEHIND(amax, one)
WEFT_BEHIND(amin, one)
WEFT_BEHIND(max, one)
WEFT_BEHIND(min, one)
WEFT_BEHIND(argmax, one)
WEFT_BEHIND(argmin, one)
WEFT_BEHIND(logsumexp, one)
WEFT_BEHIND(cumsum, one)
WEFT_BEHIND(cumprod, one)
WEFT_BEHIND(softmax, one)
WEFT_BEHIND(log_softmax, one)
WEFT_BEHIND(sort, pair)
WEFT_BEHIND(argsort, one)
WEFT_BEHIND(topk, pair)
WEFT_BEHIND(split, pair)
WEFT_BEHIND(chunk, pair)
WEFT_BEHIND(squeeze, one)
WEFT_BEHIND(unsqueeze, one)
WEFT_BEHIND(flatten, one)
WEFT_BEHIND(index_select, one)
WEFT_BEHIND(gather, one)
#undef WEFT_BEHIND

// A start or place that is no template argument.
WEFT_REFUSAL(
    StartIsConstant,
    "the axis, the start and the length are template arguments, narrow<0, 2, 4>(x), slice<0, 2, 6>(x), "
    "select<0, 2>(x); where the start is known at run time alone, dynamic_slice<4, 8>(x, i, 0) takes the "
    "sizes in <> and the starts behind x, and index(x, i) one place of the first axis");
#define WEFT_BEHIND(name)                                                                     \
  template <auto First, auto... Rest, Spelled X, class B, class... More>                      \
  constexpr auto name(const X& x, const B&, const More&...) {                                 \
    return detail::one_of(detail::respelled<StartIsConstant<false, spelled::name, X, B>>(x)); \
  }
WEFT_BEHIND(narrow)
WEFT_BEHIND(slice)
WEFT_BEHIND(select)
#undef WEFT_BEHIND

// narrow(x, 0, start, 3) of a start that is traced.
template <Spelled X, SpelledNumber A, ExprLike Start, class... More>
constexpr auto narrow(const X& x, const A&, const Start&, const More&...) {
  return detail::one_of(detail::respelled<StartIsConstant<false, spelled::narrow, X, Start>>(x));
}

// A number for an index.
template <int Axis, Spelled X, SpelledNumber I>
constexpr auto index_select(const X& x, const I&) {
  return detail::respelled<BehindAxes<false, spelled::index_select, X, I>>(x);
}
template <int Axis, Spelled X, SpelledNumber I>
constexpr auto gather(const X& x, const I&) {
  return detail::respelled<BehindAxes<false, spelled::gather, X, I>>(x);
}
template <Spelled X, SpelledNumber I>
constexpr auto take(const X& x, const I&) {
  return detail::respelled<BehindAxes<false, spelled::take, X, I>>(x);
}

// norm(x, 1), norm<1>(x, 2), norm(x, "fro").
template <int... A, Spelled X, class P, class... B>
requires(SpelledNumber<P> || std::is_convertible_v<P, const char*>) constexpr auto norm(const X& x, const P&,
                                                                                        const B&...) {
  return detail::respelled<OrderIsTemplateArgument<false, spelled::norm, X, P>>(x);
}

template <Spelled X>
constexpr auto norm(const X& x, const detail::KeywordArguments&) {
  return detail::respelled<KeywordsAreArguments<false, spelled::norm, X>>(x);
}

// einsum("ij,jk->ik", {x, y}), as libtorch has it.
template <class... A>
constexpr auto einsum(const char*, std::initializer_list<AnySpelled>, const A&...) {
  static_assert(sizeof(WordIsTemplateArgument<(sizeof...(A) > 1024), spelled::einsum>) > 0);
  return AfterRefusal{};
}

// clamp(x, 0)
template <Spelled X, Operand B>
constexpr auto clamp(const X& x, const B&) {
  return detail::respelled<BoundsAreTwo<false, X, B>>(x);
}

// binary_cross_entropy(x, y, {.weight = w}), triplet_margin_loss(a, p, n, {.margin = 1}).
#define WEFT_KEYED(name)                                                                 \
  template <Spelled X, Spelled Y>                                                        \
  constexpr auto name(const X& x, const Y&, const detail::KeywordArguments&) {           \
    return detail::respelled<KeywordsAreArguments<false, spelled::name, X, Y>>(x);       \
  }                                                                                      \
  template <Spelled X, Spelled Y, Spelled Z>                                             \
  constexpr auto name(const X& x, const Y&, const Z&, const detail::KeywordArguments&) { \
    return detail::respelled<KeywordsAreArguments<false, spelled::name, X, Y, Z>>(x);    \
  }
WEFT_KEYED(binary_cross_entropy)
WEFT_KEYED(cosine_embedding_loss)
WEFT_KEYED(hinge_embedding_loss)
WEFT_KEYED(margin_ranking_loss)
WEFT_KEYED(triplet_margin_loss)
#undef WEFT_KEYED

}  // namespace WEFT_NAMESPACE
