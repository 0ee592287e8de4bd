#pragma once
// Names that PyTorch or NumPy has and weft has not, or spells in another way: functions that refuse with what
// to write.

#include "weft/ops/core/spelling.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    OperationIsAbsent,
    "weft has no operation of this name: docs/operations.md lists those it has; of linear algebra they "
    "are products and norms, and a matrix that is inverted or factorised comes in as an input");
WEFT_REFUSAL(
    OperationIsSpelled,
    "the operation has another name: layer_norm(x, weight, bias), leaky_relu(x), log_softmax<-1>(x), "
    "stddev<1>(x), clamp(x, low, high), cross_entropy(x, y), relu(x), sigmoid(x), x.extent(0), "
    "nn::BatchNorm1d as a member");
namespace spelled {
struct inverse;
struct svd;
struct pinv;
struct cholesky;
struct eigh;
struct lstsq;
struct slogdet;
struct matrix_exp;
struct layernorm;
struct batchnorm;
struct leakyrelu;
struct logsoftmax;
struct stdev;
struct relu_;
struct sigmoid_;
struct crossentropy;
}  // namespace spelled
#define WEFT_ABSENT(name, Refusal, results)                                              \
  template <int... A, Spelled X, class... B>                                             \
  constexpr auto name(const X& x, const B&...) {                                         \
    return detail::results##_of(detail::respelled<Refusal<false, spelled::name, X>>(x)); \
  }
WEFT_ABSENT(inverse, OperationIsAbsent, one)
WEFT_ABSENT(svd, OperationIsAbsent, three)
WEFT_ABSENT(pinv, OperationIsAbsent, one)
WEFT_ABSENT(cholesky, OperationIsAbsent, one)
WEFT_ABSENT(eigh, OperationIsAbsent, pair)
WEFT_ABSENT(lstsq, OperationIsAbsent, one)
WEFT_ABSENT(slogdet, OperationIsAbsent, pair)
WEFT_ABSENT(matrix_exp, OperationIsAbsent, one)
WEFT_ABSENT(layernorm, OperationIsSpelled, one)
WEFT_ABSENT(batchnorm, OperationIsSpelled, one)
WEFT_ABSENT(leakyrelu, OperationIsSpelled, one)
WEFT_ABSENT(logsoftmax, OperationIsSpelled, one)
WEFT_ABSENT(stdev, OperationIsSpelled, one)
WEFT_ABSENT(relu_, OperationIsSpelled, one)
WEFT_ABSENT(sigmoid_, OperationIsSpelled, one)
WEFT_ABSENT(crossentropy, OperationIsSpelled, one)
#undef WEFT_ABSENT

}  // namespace WEFT_NAMESPACE
