#pragma once
// Something of the wrong kind in <>: a rate, a bound or a word where an operation takes axes, sizes, its
// options or nothing there: overloads that refuse with the spelling to use.

#include "weft/ops/core/in_brackets.hpp"
#include "weft/ops/core/spelling.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/nn/grid_sample.hpp"
#include "weft/ops/nn/pool.hpp"
#include "weft/ops/nn/rotary_embedding.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    IntegersAreInBrackets,
    "what stands in <> here are axes and sizes, integers: options are words behind the operand, "
    "mean<-1>(x, keepdim), sort<1>(x, descending), and other numbers are arguments, layer_norm<8>(x, "
    "weight, bias, 1e-5f), quantile<1>(x, 0.5f)");
WEFT_REFUSAL(ReductionIsInBrackets,
             "what stands in <> of a loss is first its reduction: write mse_loss<reduction::sum>(x, y), with "
             "none, mean, sum or batchmean; weights and other numbers are arguments, huber_loss(x, y, 0.5f)");
// What: the operation, its options and the operand.
WEFT_REFUSAL(
    OptionsAreInBrackets,
    "what stands in <> of this operation are its own options: write conv2d<ConvOptions{.stride = 2}>(x, w), "
    "conv_transpose2d<ConvTransposeOptions{.stride = 2}>(x, w), max_pool2d<2, PoolOptions{.stride = 1}>(x), "
    "scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v)");

// clang-format off
#define WEFT_WITHOUT_BRACKETS(M) \
  M(abs) M(absolute) M(accuracy) M(acos) M(acosh) M(addbmm) M(addcdiv) M(addcmul) M(addmv) M(addr) \
  M(airy_ai) M(allclose) M(arccos) M(arccosh) M(arcsin) M(arcsinh) M(arctan) M(arctan2) M(arctanh) \
  M(asin) M(asinh) M(atan) M(atan2) M(atanh) M(atleast_1d) M(atleast_2d) M(atleast_3d) M(baddbmm) \
  M(batch_norm) M(bessel_j0) M(bessel_j1) M(bessel_y0) M(bessel_y1) M(bitwise_left_shift) \
  M(block_diag) M(broadcast_tensors) M(bucketize) M(cartesian_prod) M(ceil) M(celu) M(chain_matmul) \
  M(clamp) M(clamp_max) M(clamp_min) M(clone) M(column_stack) M(contiguous) M(copysign) M(corrcoef) \
  M(cos) M(cosh) M(deg2rad) M(detach) M(digamma) M(div) M(divide) M(dot) M(dstack) M(elu) M(entr) \
  M(equal) M(erf) M(erfc) M(erfcx) M(erfinv) M(exp) M(exp2) M(expand_as) M(expit) M(expm1) M(fix) \
  M(fliplr) M(flipud) M(float_power) M(floor) M(floor_divide) M(fma) M(fmax) M(fmin) M(fmod) M(frac) \
  M(gammaln) M(ger) M(greater) M(greater_equal) M(hardshrink) M(hardsigmoid) M(hardswish) M(hardtanh) \
  M(heaviside) M(hstack) M(hypot) M(i0) M(i0e) M(i1) M(i1e) M(index) M(inner) M(instance_norm) \
  M(isclose) M(isfinite) M(isin) M(isinf) M(isnan) M(isneginf) M(isposinf) M(jvp) M(key_lengths) M(kron) M(ldexp) \
  M(leaky_relu) M(lerp) M(less) M(less_equal) M(lgamma) M(log) M(log10) M(log1p) M(log2) M(log_ndtr) \
  M(logaddexp) M(logaddexp2) M(logical_and) M(logical_or) M(logical_xor) M(logit) M(logsigmoid) \
  M(masked_fill) M(masked_scatter) M(meshgrid) M(mish) M(modified_bessel_i0) M(modified_bessel_i1) \
  M(modified_bessel_k0) M(modified_bessel_k1) M(msort) M(multiply) M(nan_to_num) M(ndtr) M(ndtri) \
  M(negative) M(not_equal) M(outer) M(perplexity) M(positive) M(pow) M(prelu) M(psi) M(rad2deg) \
  M(rand_like) M(randint_like) M(randn_like) M(ravel) M(reciprocal) M(relu6) M(remainder) M(round) \
  M(row_stack) M(rrelu) M(rsqrt) M(scaled_modified_bessel_k0) M(scaled_modified_bessel_k1) \
  M(searchsorted) M(selu) M(sgn) M(signbit) M(sin) M(sinc) M(sinh) M(softplus) M(softshrink) \
  M(softsign) M(spherical_bessel_j0) M(sqrt) M(square) M(subtract) M(t) M(take) M(tan) M(tanh) \
  M(tanhshrink) M(threshold) M(trace) M(true_divide) M(trunc) M(vdot) M(vjp) M(vstack) M(xlog1py) \
  M(xlogy)
#define WEFT_OF_INTEGERS(M) \
  M(affine_grid) M(all) M(amax) M(amin) M(any) M(argmax) M(argmin) M(argsort) M(argwhere) M(bincount) \
  M(broadcast_to) M(cat) M(channel_shuffle) M(chebyshev_polynomial_t) M(chebyshev_polynomial_u) \
  M(chebyshev_polynomial_v) M(chebyshev_polynomial_w) M(chunk) M(concat) M(concatenate) \
  M(confusion_matrix) M(cosine_similarity) M(count_nonzero) M(cross) M(cumprod) M(cumsum) \
  M(cumulative_trapezoid) M(diag) M(diag_embed) M(diagflat) M(diagonal) M(diagonal_scatter) M(diff) \
  M(dsplit) M(dynamic_slice) M(expand) M(flatten) M(flip) M(gather) M(geglu) M(glu) M(grad) \
  M(gradient) M(group_norm) M(hermite_polynomial_h) M(hermite_polynomial_he) M(hessian) M(histc) \
  M(hsplit) M(index_add) M(index_copy) M(index_fill) M(index_select) M(jacfwd) M(jacrev) \
  M(laguerre_polynomial_l) M(layer_norm) M(legendre_polynomial_p) M(local_response_norm) \
  M(log_softmax) M(logcumsumexp) M(logsumexp) M(loop) M(masked_select) M(matrix_norm) M(matrix_power) \
  M(max) M(mean) M(median) M(min) M(multinomial) M(nanmean) M(nanmedian) M(nanquantile) M(nansum) \
  M(narrow) M(nonzero) M(norm) M(normalize) M(one_hot) M(pairwise_distance) M(permute) \
  M(pixel_shuffle) M(pixel_unshuffle) M(prod) M(quantile) M(reglu) M(renorm) M(repeat) \
  M(repeat_interleave) M(reshape) M(reverse_loop) M(rms_norm) M(roll) M(rot90) M(scatter) \
  M(scatter_add) M(select) M(select_scatter) M(shifted_chebyshev_polynomial_t) \
  M(shifted_chebyshev_polynomial_u) M(shifted_chebyshev_polynomial_v) \
  M(shifted_chebyshev_polynomial_w) M(slice) M(slice_scatter) M(softmax) M(softmin) M(split) \
  M(split_at) M(split_with_sizes) M(squeeze) M(stack) M(stddev) M(sum) M(swapaxes) M(swapdims) \
  M(swiglu) M(tensor_split) M(tile) M(topk_accuracy) M(transpose) M(trapezoid) M(trapz) M(tril) \
  M(triu) M(unbind) M(unflatten) M(unique_consecutive) M(unravel_index) M(unsqueeze) M(value_and_grad) \
  M(var) M(vecdot) M(vector_norm) M(view) M(vmap) M(vsplit)
#define WEFT_PAIRS_OF_INTEGERS(M) \
  M(aminmax) M(cummax) M(cummin) M(kthvalue) M(sort) M(std_mean) M(topk) M(unique) M(var_mean)
#define WEFT_LOSSES(M) \
  M(bce) M(bce_with_logits) M(binary_cross_entropy) M(binary_cross_entropy_with_logits) \
  M(cosine_embedding_loss) M(ctc_loss) M(gaussian_nll_loss) M(hinge_embedding_loss) \
  M(huber_loss) M(kl_div) M(l1_loss) M(linear_cross_entropy) M(margin_ranking_loss) M(mse_loss) \
  M(multi_margin_loss) M(multilabel_margin_loss) M(multilabel_soft_margin_loss) M(nll_loss) \
  M(poisson_nll_loss) M(smooth_l1_loss) M(soft_margin_loss) M(triplet_margin_loss) \
  M(triplet_margin_with_distance_loss)
// Which take words and truth values, too.
#define WEFT_WITHOUT_FRACTIONS(M) \
  M(dynamic_update_slice) M(gumbel_softmax) M(histogram) M(index_put) M(index_reduce) M(pad) M(put) M(scatter_reduce) \
  M(take_along_dim) M(tensordot) M(vander)
#define WEFT_OF_A_DTYPE(M) \
  M(arange) M(cauchy) M(empty) M(exponential) M(eye) M(geometric) \
  M(linspace) M(log_normal) M(logspace) M(ones) M(rand) M(randint) M(randn) \
  M(randperm) M(zeros)
// clang-format on

namespace spelled {
#define WEFT_SPELLED(name) struct name;
WEFT_WITHOUT_BRACKETS(WEFT_SPELLED)
WEFT_OF_INTEGERS(WEFT_SPELLED)
WEFT_PAIRS_OF_INTEGERS(WEFT_SPELLED)
WEFT_LOSSES(WEFT_SPELLED)
WEFT_WITHOUT_FRACTIONS(WEFT_SPELLED)
WEFT_OF_A_DTYPE(WEFT_SPELLED)
WEFT_SPELLED(normal)
#undef WEFT_SPELLED
}  // namespace spelled

namespace detail {
constexpr bool has_fraction(auto... given) { return ((given.kind == InBrackets::fraction) || ...); }
constexpr bool are_integers(auto... given) { return ((given.kind == InBrackets::integer) && ...); }
// What stands first in the <> of a loss.
struct InLossBrackets {
  bool reduction, integer, text;

  template <class T>
  constexpr InLossBrackets(T)
      : reduction(std::is_same_v<T, LossReduction>),
        integer(std::is_same_v<T, int>),
        text(std::is_convertible_v<T, const char*>) {}
};
// Losses of which core/spelling.hpp says what is written in place of "sum".
template <class Name>
inline constexpr bool is_quoted = false;
template <>
inline constexpr bool is_quoted<spelled::mse_loss> = true;
template <>
inline constexpr bool is_quoted<spelled::l1_loss> = true;
template <>
inline constexpr bool is_quoted<spelled::cross_entropy> = true;
template <>
inline constexpr bool is_quoted<spelled::nll_loss> = true;
template <>
inline constexpr bool is_quoted<spelled::bce_with_logits> = true;
// (nvcc hands decltype(A) to the host compiler as decltype((A)), a reference.)
template <auto A, class Options>
inline constexpr bool is_a = std::is_same_v<std::remove_cvref_t<decltype(A)>, Options>;
}  // namespace detail

#define WEFT_BARE(name)                                                                \
  template <detail::InBrackets First, detail::InBrackets... Rest, class X, class... B> \
  constexpr auto name(const X& x, const B&...) {                                       \
    return detail::respelled<OperationHasNoBrackets<false, spelled::name, X>>(x);      \
  }
WEFT_WITHOUT_BRACKETS(WEFT_BARE)
#undef WEFT_BARE

#define WEFT_COUNTED(name, results)                                                                    \
  template <detail::InBrackets First, detail::InBrackets... Rest, class X, class... B>                 \
  requires(!detail::are_integers(First, Rest...)) constexpr auto name(const X& x, const B&...) {       \
    return detail::results##_of(detail::respelled<IntegersAreInBrackets<false, spelled::name, X>>(x)); \
  }
#define WEFT_COUNTED_ONE(name) WEFT_COUNTED(name, one)
#define WEFT_COUNTED_PAIR(name) WEFT_COUNTED(name, pair)
WEFT_OF_INTEGERS(WEFT_COUNTED_ONE)
WEFT_PAIRS_OF_INTEGERS(WEFT_COUNTED_PAIR)
#undef WEFT_COUNTED_PAIR
#undef WEFT_COUNTED_ONE
#undef WEFT_COUNTED

// glu(x, 1), diagonal(x, 0, 1, 2); max(x, 1, true)
#define WEFT_AXED(name)                                                                \
  template <Spelled X, SpelledNumber A, class... B>                                    \
  constexpr auto name(const X& x, const A&, const B&...) {                             \
    return detail::respelled<AxesAreTemplateArguments<false, spelled::name, X, A>>(x); \
  }
WEFT_AXED(count_nonzero)
WEFT_AXED(cumulative_trapezoid)
WEFT_AXED(diag)
WEFT_AXED(diag_embed)
WEFT_AXED(diagflat)
WEFT_AXED(diagonal)
WEFT_AXED(dsplit)
WEFT_AXED(geglu)
WEFT_AXED(glu)
WEFT_AXED(hsplit)
WEFT_AXED(matrix_power)
WEFT_AXED(nanmean)
WEFT_AXED(nanquantile)
WEFT_AXED(nansum)
WEFT_AXED(reglu)
WEFT_AXED(rot90)
WEFT_AXED(swapdims)
WEFT_AXED(swiglu)
WEFT_AXED(tile)
WEFT_AXED(trapezoid)
WEFT_AXED(unique_consecutive)
WEFT_AXED(vsplit)
#undef WEFT_AXED
#define WEFT_AXED(name)                                                                                 \
  template <Spelled X, SpelledNumber A, class B, class... C>                                            \
  constexpr auto name(const X& x, const A&, const B&, const C&...) {                                    \
    return detail::pair_of(detail::respelled<AxesAreTemplateArguments<false, spelled::name, X, A>>(x)); \
  }
WEFT_AXED(max)
WEFT_AXED(min)
#undef WEFT_AXED
// aminmax(x, 1)
template <Spelled X, SpelledNumber A>
constexpr auto aminmax(const X& x, const A&) {
  return detail::pair_of(detail::respelled<AxesAreTemplateArguments<false, spelled::aminmax, X, A>>(x));
}
// cross(x, y, 1)
#define WEFT_AXED(name)                                                                   \
  template <Spelled X, Spelled Y, SpelledNumber A, class... B>                            \
  constexpr auto name(const X& x, const Y&, const A&, const B&...) {                      \
    return detail::respelled<AxesAreTemplateArguments<false, spelled::name, X, Y, A>>(x); \
  }
WEFT_AXED(cross)
WEFT_AXED(tensordot)
WEFT_AXED(trapezoid)
WEFT_AXED(vecdot)
#undef WEFT_AXED
// softmax<1, f64>(x)
#define WEFT_TYPED(name)                                                     \
  template <detail::InBrackets First, Element T, Spelled X, class... B>      \
  constexpr auto name(const X& x, const B&...) {                             \
    return detail::respelled<AxesAreNumbers<false, spelled::name, T, X>>(x); \
  }
WEFT_OF_INTEGERS(WEFT_TYPED)
#undef WEFT_TYPED
// sum<0, 1, f64>(x)
#define WEFT_TYPED(name)                                                                           \
  template <detail::InBrackets First, detail::InBrackets Second, Element T, Spelled X, class... B> \
  constexpr auto name(const X& x, const B&...) {                                                   \
    return detail::respelled<AxesAreNumbers<false, spelled::name, T, X>>(x);                       \
  }
WEFT_TYPED(sum)
WEFT_TYPED(mean)
WEFT_TYPED(nansum)
WEFT_TYPED(nanmean)
#undef WEFT_TYPED

#define WEFT_WHOLE(name)                                                                        \
  template <detail::InBrackets First, detail::InBrackets... Rest, class X, class... B>          \
  requires(detail::has_fraction(First, Rest...)) constexpr auto name(const X& x, const B&...) { \
    return detail::respelled<IntegersAreInBrackets<false, spelled::name, X>>(x);                \
  }
WEFT_WITHOUT_FRACTIONS(WEFT_WHOLE)
#undef WEFT_WHOLE

// zeros<2, 3>()
#define WEFT_TYPED(name)                                                                                \
  template <detail::InBrackets First, detail::InBrackets... Rest, class... B>                           \
  constexpr auto name(const B&...) {                                                                    \
    static_assert(sizeof(DtypeAndShapeAreTemplateArguments<(sizeof...(B) > 1024), spelled::name>) > 0); \
    return AfterRefusal{};                                                                              \
  }
WEFT_OF_A_DTYPE(WEFT_TYPED)
#undef WEFT_TYPED

// normal(0, 1, {4, 8})
#define WEFT_DRAWN(name)                                                                                  \
  template <SpelledNumber A, SpelledNumber B, class... C>                                                 \
  constexpr auto name(const A&, const B&, std::initializer_list<int>, const C&...) {                      \
    static_assert(sizeof(DtypeAndShapeAreTemplateArguments<(sizeof...(C) > 1024), spelled::name, A, B>) > \
                  0);                                                                                     \
    return AfterRefusal{};                                                                                \
  }
WEFT_DRAWN(normal)
WEFT_DRAWN(log_normal)
WEFT_DRAWN(cauchy)
#undef WEFT_DRAWN

#define WEFT_LOSS(name)                                                                                \
  template <detail::InLossBrackets First, detail::InBrackets... Rest, class X, class... B>             \
  requires(!First.reduction && !(First.text && detail::is_quoted<spelled::name>)) constexpr auto name( \
      const X& x, const B&...) {                                                                       \
    return detail::respelled<ReductionIsInBrackets<false, spelled::name, X>>(x);                       \
  }
WEFT_LOSSES(WEFT_LOSS)
#undef WEFT_LOSS
// (Of an integer cross_entropy says that the axis comes second.)
template <detail::InLossBrackets First, detail::InBrackets... Rest, class X, class... B>
requires(!First.reduction && !First.integer && !First.text) constexpr auto cross_entropy(const X& x,
                                                                                         const B&...) {
  return detail::respelled<ReductionIsInBrackets<false, spelled::cross_entropy, X>>(x);
}

#define WEFT_WITH_OPTIONS(name, Options)                                                 \
  namespace spelled {                                                                    \
  struct name;                                                                           \
  }                                                                                      \
  template <auto First, auto... Rest, class X, class... B>                               \
  requires(!detail::is_a<First, Options>) constexpr auto name(const X& x, const B&...) { \
    return detail::respelled<OptionsAreInBrackets<false, spelled::name, Options, X>>(x); \
  }
WEFT_WITH_OPTIONS(conv1d, ConvOptions)
WEFT_WITH_OPTIONS(conv2d, ConvOptions)
WEFT_WITH_OPTIONS(conv3d, ConvOptions)
WEFT_WITH_OPTIONS(conv_transpose1d, ConvTransposeOptions)
WEFT_WITH_OPTIONS(conv_transpose2d, ConvTransposeOptions)
WEFT_WITH_OPTIONS(conv_transpose3d, ConvTransposeOptions)
WEFT_WITH_OPTIONS(scaled_dot_product_attention, AttentionOptions)
WEFT_WITH_OPTIONS(attention, AttentionOptions)
WEFT_WITH_OPTIONS(paged_attention, AttentionOptions)
WEFT_WITH_OPTIONS(varlen_attention, AttentionOptions)
WEFT_WITH_OPTIONS(grid_sample, GridSampleOptions)
WEFT_WITH_OPTIONS(rotary_embedding, RotaryOptions)
#undef WEFT_WITH_OPTIONS

#define WEFT_POOLED(name)                                                                    \
  template <auto Window, auto Second, auto... Rest, class X, class... B>                     \
  requires(!detail::is_a<Second, PoolOptions> &&                                             \
           !std::is_integral_v<std::remove_cvref_t<decltype(Second)>>) constexpr auto        \
  name(const X& x, const B&...) {                                                            \
    return detail::respelled<OptionsAreInBrackets<false, spelled::name, PoolOptions, X>>(x); \
  }
WEFT_POOLED(max_pool1d)
WEFT_POOLED(max_pool2d)
WEFT_POOLED(max_pool3d)
WEFT_POOLED(avg_pool1d)
WEFT_POOLED(avg_pool2d)
WEFT_POOLED(avg_pool3d)
#undef WEFT_POOLED

// A padding's word.
template <FixedString Word, i64... Widths, class X, class... B>
constexpr auto pad(const X& x, const B&...) {
  return detail::respelled<WordIsTemplateArgument<false, spelled::pad, X>>(x);
}

#undef WEFT_OF_A_DTYPE
#undef WEFT_WITHOUT_FRACTIONS
#undef WEFT_LOSSES
#undef WEFT_PAIRS_OF_INTEGERS
#undef WEFT_OF_INTEGERS
#undef WEFT_WITHOUT_BRACKETS

}  // namespace WEFT_NAMESPACE
