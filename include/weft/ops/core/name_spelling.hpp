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
    "stddev<1>(x), clamp(x, low, high), cross_entropy(x, y), relu(x), sigmoid(x), pow(x, 3), silu(x), "
    "unsqueeze<0>(x), x.extent(0), nn::BatchNorm1d as a member");
WEFT_REFUSAL(
    TransformIsSpelled,
    "the transformation has another name: scan is loop(body, carry, xs), fori_loop and a plain for loop "
    "loop<10>(body, carry), cond where(condition, a, b), while_loop needs a bound, "
    "while_loop<100>(condition, "
    "body, carry), jacrev(f)(x) is a vmap of vjp(f) over unit cotangents, hessian one of vjp(grad(f))");
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
struct power;
struct swish;
struct expand_dims;
struct scan;
struct fori_loop;
struct cond;
struct while_loop;
struct jacrev;
struct jacfwd;
struct hessian;
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
WEFT_ABSENT(power, OperationIsSpelled, one)
WEFT_ABSENT(swish, OperationIsSpelled, one)
WEFT_ABSENT(expand_dims, OperationIsSpelled, one)
#undef WEFT_ABSENT
#define WEFT_TRANSFORM(name, results)                                                   \
  template <class A, class... B>                                                        \
  constexpr auto name(const A&, const B&...) {                                          \
    static_assert(sizeof(TransformIsSpelled<sizeof(A) == 0, spelled::name, B...>) > 0); \
    return detail::results##_of(AfterRefusal{});                                        \
  }
WEFT_TRANSFORM(scan, pair)
WEFT_TRANSFORM(fori_loop, one)
WEFT_TRANSFORM(cond, one)
WEFT_TRANSFORM(while_loop, one)
WEFT_TRANSFORM(jacrev, one)
WEFT_TRANSFORM(jacfwd, one)
WEFT_TRANSFORM(hessian, one)
#undef WEFT_TRANSFORM

// pow<2>(x), clamp<0, 1>(x)
WEFT_REFUSAL(NumbersAreArguments,
             "numbers that decide no shape are arguments and no template arguments: pow(x, 2), clamp(x, 0, "
             "1), dropout(x, 0.5f)");
#define WEFT_NUMBERED(name)                                                    \
  template <auto First, auto... More, Spelled X>                               \
  requires std::is_arithmetic_v<decltype(First)>                               \
  constexpr auto name(const X& x) {                                            \
    return detail::respelled<NumbersAreArguments<false, spelled::name, X>>(x); \
  }
WEFT_NUMBERED(pow)
WEFT_NUMBERED(clamp)
WEFT_NUMBERED(clamp_min)
WEFT_NUMBERED(clamp_max)
WEFT_NUMBERED(lerp)
WEFT_NUMBERED(threshold)
#undef WEFT_NUMBERED

// to_text(x) of a traced value
template <class T, class S>
constexpr auto to_text(const Expr<T, S>&) {
  detail::misspelt<ValueIsTraced<false, Expr<T, S>>>();
  return to_text(S::value);
}

}  // namespace WEFT_NAMESPACE
