#pragma once
// The methods of torch.Tensor that are functions here: every class that PyTorch's users take for a tensor
// refuses them by name.

#include "weft/core/config.hpp"

// clang-format off
#define WEFT_TENSOR_METHODS(M) \
  M(abs) M(acos) M(add) M(addmm) M(all) M(allclose) M(amax) M(amin) M(any) M(argmax) M(argmin) \
  M(argsort) M(asin) M(astype) M(atan) M(baddbmm) M(bmm) M(ceil) M(chunk) M(clamp) M(clip) M(clone) \
  M(contiguous) M(cos) M(cosh) M(cross) M(cummax) M(cummin) M(cumprod) M(cumsum) M(diag) M(diagonal) \
  M(div) M(dot) M(eq) M(erf) M(exp) M(expand) M(expand_as) M(expm1) M(fill_diagonal) M(flatten) \
  M(flip) M(floor) M(fmod) M(gather) M(ge) M(gelu) M(gt) M(index) M(index_add) M(index_put) \
  M(index_select) M(inner) M(isinf) M(isnan) M(kthvalue) M(le) M(lerp) M(log) M(log10) M(log1p) \
  M(log2) M(log_softmax) M(logical_and) M(logical_not) M(logical_or) M(logsumexp) M(lt) \
  M(masked_fill) M(masked_select) M(matmul) M(max) M(maximum) M(mean) M(median) M(min) M(minimum) \
  M(mm) M(movedim) M(mul) M(multinomial) M(mv) M(nan_to_num) M(narrow) M(ne) M(neg) M(nonzero) \
  M(norm) M(outer) M(permute) M(pow) M(prod) M(quantile) M(reciprocal) M(relu) M(remainder) M(repeat) \
  M(repeat_interleave) M(reshape) M(reshape_as) M(roll) M(round) M(rsqrt) M(scatter) M(scatter_add) \
  M(select) M(sigmoid) M(sign) M(sin) M(slice) M(softmax) M(sort) M(split) M(sqrt) M(square) M(squeeze) \
  M(stddev) M(sub) M(sum) M(swapaxes) M(t) M(take) M(tanh) M(tile) M(topk) M(trace) M(transpose) \
  M(tril) M(triu) M(unbind) M(unfold) M(unique) M(unsqueeze) M(var) M(view) M(view_as) M(where)

// The same that change the tensor.
#define WEFT_INPLACE_METHODS(M) \
  M(abs_) M(add_) M(addcmul_) M(clamp_) M(copy_) M(div_) M(exp_) M(fill_) M(index_add_) M(index_put_) \
  M(masked_fill_) M(mul_) M(neg_) M(normal_) M(pow_) M(relu_) M(scatter_) M(scatter_add_) M(sub_) \
  M(uniform_) M(zero_)
// clang-format on

namespace WEFT_NAMESPACE::spelled {
#define WEFT_SPELLED(name) struct name;
WEFT_TENSOR_METHODS(WEFT_SPELLED)
WEFT_INPLACE_METHODS(WEFT_SPELLED)
#undef WEFT_SPELLED
}  // namespace WEFT_NAMESPACE::spelled
