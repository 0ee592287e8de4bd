#pragma once
// The last candidate of every operation that is a function: a call that no form of it takes, layer_norm(x, 1,
// 2), is one sentence and no list of candidates. Law: it is chosen where nothing else is: its first parameter
// is a base class of the operand, and the others are an ellipsis or reached by a conversion, so every other
// candidate is the better one, whatever it converts.

#include <tuple>

#include "weft/ops/core/expr.hpp"
#include "weft/ops/core/in_brackets.hpp"
#include "weft/ops/core/spelling.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    CallIsUnfit,
    "no form of this operation takes what stands in its <> and (): it is written as the quoted text says "
    "(docs/reference_operations.md), axes, sizes and settings being template arguments, sum<1>(x), "
    "reshape<2, 8>(x), conv2d<ConvOptions{.stride = 2}>(x, w), tensors and numbers one by one, and options "
    "words, sum<1>(x, keepdim)");

WEFT_REFUSAL(SpecialIsIncluded,
             "no form of this function takes what stands in its (): it is declared by #include "
             "<weft/special.hpp>, which weft/weft.hpp leaves out");

WEFT_REFUSAL(SignalIsIncluded,
             "the window functions are declared by #include <weft/signal.hpp>, which weft/weft.hpp leaves "
             "out: hann_window<f32, 8>()");

namespace detail {
// CallIsUnfit with how the operation is written, which is looked up where a call is refused.
template <bool Fits, class Name, class X>
struct UnfitCall {};
template <class Name, class X>
struct UnfitCall<false, Name, X> : CallIsUnfit<false, Name, FormOf<Name, X>, X> {};
}  // namespace detail

// Functions of values alone, those of weft/special.hpp, and those whose axes, sizes or settings somebody may
// put in braces.
// clang-format off
#define WEFT_FUNCTIONS_OF_VALUES(M) \
  M(abs) M(absolute) M(acos) M(acosh) M(addcdiv) M(addcmul) M(arccos) M(arccosh) M(arcsin) M(arcsinh) \
  M(arctan) M(arctan2) M(arctanh) M(asin) M(asinh) M(atan) M(atan2) M(atanh) M(bartlett_window) \
  M(bitwise_left_shift) M(blackman_window) M(cast) M(ceil) M(clamp) M(clamp_max) M(clamp_min) M(clone) \
  M(copysign) M(cos) M(cosh) M(deg2rad) M(detach) M(digamma) M(div) M(divide) M(entr) M(erf) M(erfc) \
  M(erfcx) M(erfinv) M(exp) M(exp2) M(expm1) M(fix) M(float_power) M(floor) M(floor_divide) M(fma) \
  M(fmax) M(fmin) M(fmod) M(frac) M(gammaln) M(greater) M(greater_equal) M(hamming_window) \
  M(hann_window) M(heaviside) M(hypot) M(i0) M(i0e) M(i1) M(i1e) M(isclose) M(isfinite) M(isinf) \
  M(isnan) M(isneginf) M(isposinf) M(kaiser_window) M(ldexp) M(lerp) M(less) M(less_equal) M(lgamma) \
  M(log) M(log10) M(log1p) M(log2) M(log_ndtr) M(logaddexp) M(logaddexp2) M(logical_and) M(logical_or) \
  M(logical_xor) M(logit) M(masked_fill) M(multiply) M(nan_to_num) M(ndtr) M(ndtri) M(negative) \
  M(not_equal) M(positive) M(pow) M(psi) M(rad2deg) M(reciprocal) M(remainder) M(round) M(rsqrt) M(sgn) \
  M(signbit) M(sin) M(sinc) M(sinh) M(sqrt) M(square) M(subtract) M(tan) M(tanh) M(true_divide) M(trunc) \
  M(xlog1py) M(xlogy)
#define WEFT_FUNCTIONS_OF_SPECIAL(M) \
  M(airy_ai) M(bessel_j0) M(bessel_j1) M(bessel_y0) M(bessel_y1) M(chebyshev_polynomial_t) \
  M(chebyshev_polynomial_u) M(chebyshev_polynomial_v) M(chebyshev_polynomial_w) M(hermite_polynomial_h) \
  M(hermite_polynomial_he) M(laguerre_polynomial_l) M(legendre_polynomial_p) M(modified_bessel_i0) \
  M(modified_bessel_i1) M(modified_bessel_k0) M(modified_bessel_k1) M(scaled_modified_bessel_k0) \
  M(scaled_modified_bessel_k1) M(shifted_chebyshev_polynomial_t) M(shifted_chebyshev_polynomial_u) \
  M(shifted_chebyshev_polynomial_v) M(shifted_chebyshev_polynomial_w) M(spherical_bessel_j0)
#define WEFT_FUNCTIONS_OF_SETTINGS(M) \
  M(accuracy) M(adaptive_avg_pool1d) M(adaptive_avg_pool2d) M(adaptive_avg_pool3d) M(adaptive_max_pool1d) \
  M(adaptive_max_pool2d) M(adaptive_max_pool3d) M(addbmm) M(addmv) M(addr) M(affine_grid) M(all) \
  M(allclose) M(amax) M(amin) M(aminmax) M(any) M(arange) M(argmax) M(argmin) M(argsort) M(argwhere) \
  M(atleast_1d) M(atleast_2d) M(atleast_3d) M(attention) M(avg_pool1d) M(avg_pool2d) M(avg_pool3d) \
  M(baddbmm) M(batch_norm) M(bce) M(bce_with_logits) M(bernoulli) M(binary_cross_entropy) \
  M(binary_cross_entropy_with_logits) M(bincount) M(block_diag) M(broadcast_tensors) M(broadcast_to) \
  M(bucketize) M(cartesian_prod) M(cat) M(cauchy) M(cdist) M(celu) M(chain_matmul) M(channel_shuffle) \
  M(chunk) M(column_stack) M(concat) M(concatenate) M(confusion_matrix) M(contiguous) M(conv1d) M(conv2d) \
  M(conv3d) M(conv_transpose1d) M(conv_transpose2d) M(conv_transpose3d) M(corrcoef) \
  M(cosine_embedding_loss) M(cosine_similarity) M(count_nonzero) M(cov) M(cross) M(cross_entropy) \
  M(ctc_loss) M(cummax) M(cummin) M(cumprod) M(cumsum) M(cumulative_trapezoid) M(diag) M(diag_embed) \
  M(diagflat) M(diagonal) M(diagonal_scatter) M(diff) M(dist) M(dot) M(dsplit) M(dstack) M(dynamic_slice) \
  M(dynamic_update_slice) M(einsum) M(elu) M(empty) M(empty_like) M(equal) M(expand) M(expand_as) M(expit) \
  M(exponential) M(eye) M(f1_score) M(flatten) M(flip) M(fliplr) M(flipud) M(fold) \
  M(fractional_max_pool2d) M(fractional_max_pool3d) M(full) M(full_like) M(gather) M(gaussian_nll_loss) \
  M(geglu) M(geometric) M(ger) M(glu) M(gradient) M(grid_sample) M(group_norm) M(gumbel_softmax) \
  M(hardshrink) M(hardsigmoid) M(hardswish) M(hardtanh) M(hinge_embedding_loss) M(histc) M(histogram) \
  M(hsplit) M(hstack) M(huber_loss) M(index) M(index_add) M(index_copy) M(index_fill) M(index_put) \
  M(index_reduce) M(index_select) M(inner) M(instance_norm) M(interpolate) M(isin) M(key_lengths) \
  M(kl_div) M(kron) M(kthvalue) M(l1_loss) M(layer_norm) M(leaky_relu) M(linear_cross_entropy) M(linspace) \
  M(local_response_norm) M(log_normal) M(log_softmax) M(logcumsumexp) M(logsigmoid) M(logspace) \
  M(logsumexp) M(lp_pool1d) M(lp_pool2d) M(lp_pool3d) M(margin_ranking_loss) M(masked_scatter) \
  M(masked_select) M(matrix_norm) M(matrix_power) M(max) M(max_pool1d) M(max_pool2d) M(max_pool3d) \
  M(max_unpool1d) M(max_unpool2d) M(max_unpool3d) M(mean) M(median) M(meshgrid) M(min) M(mish) M(moveaxis) \
  M(movedim) M(mse_loss) M(msort) M(multi_margin_loss) M(multilabel_margin_loss) \
  M(multilabel_soft_margin_loss) M(multinomial) M(nanmean) M(nanmedian) M(nanquantile) M(nansum) M(narrow) \
  M(nll_loss) M(nonzero) M(norm) M(normal) M(normalize) M(one_hot) M(ones) M(ones_like) M(outer) M(pad) \
  M(paged_attention) M(pairwise_distance) M(pdist) M(permute) M(perplexity) M(pixel_shuffle) \
  M(pixel_unshuffle) M(poisson_nll_loss) M(precision_score) M(prelu) M(prod) M(put) M(quantile) M(rand) \
  M(rand_like) M(randint) M(randint_like) M(randn) M(randn_like) M(randperm) M(ravel) M(recall_score) \
  M(reglu) M(relu6) M(renorm) M(repeat) M(repeat_interleave) M(reshape) M(rms_norm) M(roll) M(rot90) \
  M(rotary_embedding) M(row_stack) M(rrelu) M(scaled_dot_product_attention) M(scatter) M(scatter_add) \
  M(scatter_reduce) M(searchsorted) M(select) M(select_scatter) M(selu) M(slice) M(slice_scatter) \
  M(smooth_l1_loss) M(soft_margin_loss) M(softmax) M(softmin) M(softplus) M(softshrink) M(softsign) \
  M(sort) M(split) M(split_at) M(split_with_sizes) M(squeeze) M(stack) M(std_mean) M(stddev) M(sum) \
  M(swapaxes) M(swapdims) M(swiglu) M(t) M(take) M(take_along_dim) M(tanhshrink) M(tensor_split) \
  M(tensordot) M(threshold) M(tile) M(topk) M(topk_accuracy) M(trace) M(transpose) M(trapezoid) M(trapz) \
  M(tril) M(tril_indices) M(triplet_margin_loss) M(triplet_margin_with_distance_loss) M(triu) \
  M(triu_indices) M(unbind) M(unflatten) M(unfold) M(unique) M(unique_consecutive) M(unravel_index) \
  M(unsqueeze) M(vander) M(var) M(var_mean) M(varlen_attention) M(vdot) M(vecdot) M(vector_norm) M(view) \
  M(vocab_parallel_cross_entropy) M(vsplit) M(vstack) M(zeros) M(zeros_like)
// With braces behind a second argument: roll(x, 1, {0}), conv2d(x, w, {.stride = 2}).
#define WEFT_FUNCTIONS_OF_LATE_SETTINGS(M) \
  M(conv1d) M(conv2d) M(conv3d) M(conv_transpose1d) M(conv_transpose2d) M(conv_transpose3d) M(matrix_norm) \
  M(norm) M(roll) M(rot90) M(tensordot) M(unflatten) M(vector_norm)
// clang-format on

namespace spelled {
#define WEFT_SPELLED(name) struct name;
WEFT_FUNCTIONS_OF_VALUES(WEFT_SPELLED)
WEFT_FUNCTIONS_OF_SPECIAL(WEFT_SPELLED)
WEFT_FUNCTIONS_OF_SETTINGS(WEFT_SPELLED)
#undef WEFT_SPELLED
}  // namespace spelled

#define WEFT_LAST_FORM_AS(Refusal, name, ...)                                        \
  template <detail::InBrackets... Given, class X>                                    \
  constexpr auto name(const TracedMembers<X>&, __VA_ARGS__...) {                     \
    static_assert(sizeof(Refusal<(sizeof...(Given) > 1024), spelled::name, X>) > 0); \
    return AfterRefusal{};                                                           \
  }
#define WEFT_LAST_FORM(name, ...) WEFT_LAST_FORM_AS(detail::UnfitCall, name, __VA_ARGS__)
#define WEFT_UNFIT_SPECIAL(name) WEFT_LAST_FORM_AS(SpecialIsIncluded, name, )
WEFT_FUNCTIONS_OF_SPECIAL(WEFT_UNFIT_SPECIAL)
#define WEFT_UNFIT(name) WEFT_LAST_FORM(name, )
#define WEFT_UNFIT_BRACES(name) WEFT_LAST_FORM(name, const detail::InBraces<detail::AnyWord>&, )
#define WEFT_UNFIT_LATE_BRACES(name) \
  WEFT_LAST_FORM(name, const detail::AnyWord&, const detail::InBraces<detail::AnyWord>&, )
WEFT_FUNCTIONS_OF_VALUES(WEFT_UNFIT)
WEFT_FUNCTIONS_OF_SETTINGS(WEFT_UNFIT)
WEFT_FUNCTIONS_OF_SETTINGS(WEFT_UNFIT_BRACES)
WEFT_FUNCTIONS_OF_LATE_SETTINGS(WEFT_UNFIT_LATE_BRACES)
#undef WEFT_UNFIT_LATE_BRACES
#undef WEFT_UNFIT_BRACES
#undef WEFT_UNFIT
#undef WEFT_LAST_FORM
#undef WEFT_LAST_FORM_AS
#undef WEFT_UNFIT_SPECIAL
#undef WEFT_FUNCTIONS_OF_SPECIAL
#undef WEFT_FUNCTIONS_OF_LATE_SETTINGS
#undef WEFT_FUNCTIONS_OF_SETTINGS
#undef WEFT_FUNCTIONS_OF_VALUES

// hann_window<f32, 8>() without its header. Their own lists of parameters, so that those of window.hpp, which
// are constrained, are chosen. (Of kaiser_window, whose argument is a template's, nvcc takes neither.)
#define WEFT_WINDOW(name, ...)                                             \
  template <class T, i64 N, bool Periodic = true>                          \
  constexpr auto name(__VA_ARGS__) {                                       \
    static_assert(sizeof(SignalIsIncluded<N != N, spelled::name, T>) > 0); \
    return AfterRefusal{};                                                 \
  }
WEFT_WINDOW(bartlett_window)
WEFT_WINDOW(blackman_window)
WEFT_WINDOW(hamming_window, double = 0.54, double = 0.46)
WEFT_WINDOW(hann_window)
#undef WEFT_WINDOW

// exp(topk<2>(x)), which std::exp would be taken for.
#define WEFT_OF_TUPLE(name)                                                                          \
  template <class... A>                                                                              \
  requires(sizeof...(A) > 0 && (Operand<A> && ...)) constexpr auto name(const std::tuple<A...>& t) { \
    static_assert(sizeof(TupleIsTaken<sizeof...(A) == 0, spelled::name, A...>) > 0);                 \
    return std::get<0>(t);                                                                           \
  }
WEFT_OF_TUPLE(abs)
WEFT_OF_TUPLE(exp)
WEFT_OF_TUPLE(log)
WEFT_OF_TUPLE(sqrt)
WEFT_OF_TUPLE(sin)
WEFT_OF_TUPLE(cos)
WEFT_OF_TUPLE(tanh)
#undef WEFT_OF_TUPLE

}  // namespace WEFT_NAMESPACE
