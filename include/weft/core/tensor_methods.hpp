#pragma once
// The methods of torch.Tensor that are functions here: every class that PyTorch's users take for a tensor
// refuses them by name.

#include "weft/core/diagnose.hpp"

// clang-format off
#define WEFT_TENSOR_METHODS(M) \
  M(abs) M(absolute) M(acos) M(acosh) M(add) M(addbmm) M(addcdiv) M(addcmul) M(addmm) M(addmv) M(addr) \
  M(all) M(allclose) M(amax) M(amin) M(aminmax) M(any) M(argmax) M(argmin) M(argsort) M(argwhere) M(asin) \
  M(asinh) M(astype) M(atan) M(atan2) M(atanh) M(baddbmm) M(bernoulli) M(bincount) M(bitwise_and) \
  M(bitwise_left_shift) M(bitwise_not) M(bitwise_or) M(bitwise_right_shift) M(bitwise_xor) M(bmm) \
  M(broadcast_to) M(ceil) M(chunk) M(clamp) M(clamp_max) M(clamp_min) M(clip) M(clone) M(contiguous) \
  M(copysign) M(corrcoef) M(cos) M(cosh) M(count_nonzero) M(cov) M(cross) M(cummax) M(cummin) M(cumprod) \
  M(cumsum) M(deg2rad) M(diag) M(diag_embed) M(diagflat) M(diagonal) M(diagonal_scatter) M(diff) M(digamma) \
  M(dist) M(div) M(divide) M(dot) M(dsplit) M(elu) M(eq) M(equal) M(erf) M(erfc) M(erfinv) M(exp) M(exp2) \
  M(expand) M(expand_as) M(expm1) M(fill_diagonal) M(fix) M(flatten) M(flip) M(fliplr) M(flipud) \
  M(float_power) M(floor) M(floor_divide) M(fmax) M(fmin) M(fmod) M(frac) M(gather) M(ge) M(gelu) M(ger) \
  M(greater) M(greater_equal) M(gt) M(hardtanh) M(heaviside) M(histc) M(hsplit) M(hypot) M(index) \
  M(index_add) M(index_copy) M(index_fill) M(index_put) M(index_reduce) M(index_select) M(inner) M(isclose) \
  M(isfinite) M(isin) M(isinf) M(isnan) M(isneginf) M(isposinf) M(kron) M(kthvalue) M(ldexp) M(le) \
  M(leaky_relu) M(lerp) M(less) M(less_equal) M(lgamma) M(log) M(log10) M(log1p) M(log2) M(log_softmax) \
  M(logaddexp) M(logaddexp2) M(logcumsumexp) M(logical_and) M(logical_not) M(logical_or) M(logical_xor) \
  M(logit) M(logsigmoid) M(logsumexp) M(lt) M(masked_fill) M(masked_scatter) M(masked_select) M(matmul) \
  M(matrix_power) M(max) M(maximum) M(mean) M(median) M(min) M(minimum) M(mm) M(moveaxis) M(movedim) \
  M(msort) M(mul) M(multinomial) M(multiply) M(mv) M(nan_to_num) M(nanmean) M(nanmedian) M(nanquantile) \
  M(nansum) M(narrow) M(ne) M(neg) M(negative) M(nonzero) M(norm) M(not_equal) M(one_hot) M(outer) \
  M(permute) M(positive) M(pow) M(prod) M(put) M(quantile) M(rad2deg) M(ravel) M(reciprocal) M(relu) \
  M(remainder) M(renorm) M(repeat) M(repeat_interleave) M(reshape) M(reshape_as) M(roll) M(rot90) M(round) \
  M(rsqrt) M(scatter) M(scatter_add) M(scatter_reduce) M(select) M(select_scatter) M(selu) M(sgn) M(sigmoid) \
  M(sign) M(signbit) M(silu) M(sin) M(sinc) M(sinh) M(slice) M(slice_scatter) M(softmax) M(softplus) M(sort) \
  M(split) M(split_with_sizes) M(sqrt) M(square) M(squeeze) M(std) M(stddev) M(sub) M(subtract) M(sum) \
  M(swapaxes) M(swapdims) M(t) M(take) M(take_along_dim) M(tan) M(tanh) M(tensor_split) M(tile) M(topk) \
  M(trace) M(transpose) M(tril) M(triu) M(true_divide) M(trunc) M(unbind) M(unflatten) M(unfold) M(unique) \
  M(unique_consecutive) M(unsqueeze) M(var) M(vdot) M(view) M(view_as) M(vsplit) M(where) M(xlogy)

// The same that change the tensor.
#define WEFT_INPLACE_METHODS(M) \
  M(abs_) M(add_) M(addcdiv_) M(addcmul_) M(bernoulli_) M(cauchy_) M(ceil_) M(clamp_) M(clamp_max_) \
  M(clamp_min_) M(copy_) M(cos_) M(cumprod_) M(cumsum_) M(detach_) M(div_) M(exp_) M(exponential_) M(fill_) \
  M(fill_diagonal_) M(floor_) M(fmod_) M(geometric_) M(index_add_) M(index_copy_) M(index_fill_) \
  M(index_put_) M(leaky_relu_) M(lerp_) M(log_) M(log_normal_) M(logical_not_) M(masked_fill_) \
  M(masked_scatter_) M(mul_) M(nan_to_num_) M(neg_) M(normal_) M(pow_) M(put_) M(random_) M(reciprocal_) \
  M(relu_) M(remainder_) M(renorm_) M(resize_) M(round_) M(rsqrt_) M(scatter_) M(scatter_add_) \
  M(scatter_reduce_) M(sigmoid_) M(sign_) M(sin_) M(sqrt_) M(square_) M(squeeze_) M(sub_) M(swapaxes_) M(t_) \
  M(tanh_) M(transpose_) M(tril_) M(triu_) M(trunc_) M(uniform_) M(unsqueeze_) M(zero_)
// That make a tensor of another's dtype.
#define WEFT_NEW_METHODS(M) M(new_empty) M(new_full) M(new_ones) M(new_tensor) M(new_zeros)
// clang-format on

namespace WEFT_NAMESPACE::spelled {
#define WEFT_SPELLED(name) struct name;
WEFT_TENSOR_METHODS(WEFT_SPELLED)
WEFT_INPLACE_METHODS(WEFT_SPELLED)
WEFT_NEW_METHODS(WEFT_SPELLED)
WEFT_SPELLED(is_cuda)
WEFT_SPELLED(ndim)
WEFT_SPELLED(requires_grad)
WEFT_SPELLED(retain_grad)
WEFT_SPELLED(type_as)
#undef WEFT_SPELLED
}  // namespace WEFT_NAMESPACE::spelled

namespace WEFT_NAMESPACE {

// What PyTorch has as a member without a call, x.requires_grad, refused where it is read or written.
template <template <bool, class...> class Refusal, class Name>
struct RefusedAttribute {
  constexpr operator i64() const {
    static_assert(sizeof(Refusal<sizeof(Name*) == 0, Name>) > 0);
    return 0;
  }
  template <class B>
  constexpr auto operator=(const B&) const {
    static_assert(sizeof(Refusal<sizeof(B*) == 0, Name>) > 0);
    return *this;
  }
};

}  // namespace WEFT_NAMESPACE
