#pragma once
// Names that PyTorch, NumPy or JAX has and weft has not, or spells in another way: they refuse with what to
// write. Law: a program may have functions and variables of these names. So they are friends, which only a
// call with a value finds, and no better candidates than any other function.

#include <tuple>
#include <utility>

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    OperationIsAbsent,
    "weft has no operation of this name: docs/operations.md lists those it has; of linear algebra they "
    "are products and norms, and a matrix that is inverted or factorised comes in as an input");
WEFT_REFUSAL(
    OperationIsSpelled,
    "the operation has another name: layer_norm(x, weight, bias), leaky_relu(x), log_softmax<-1>(x), "
    "stddev<1>(x), clamp(x, low, high), cross_entropy(x, y), relu(x), sigmoid(x), pow(x, 3), silu(x), "
    "attention(q, k, v, score, mask) of functions, unsqueeze<0>(x), x.extent(0), nn::BatchNorm1d as a "
    "member");
WEFT_REFUSAL(
    TransformIsSpelled,
    "the transformation has another name: scan is loop(body, carry, xs), fori_loop and a plain for loop "
    "loop<10>(body, carry), cond where(condition, a, b), while_loop needs a bound, "
    "while_loop<100>(condition, body, carry)");

// M(name, Refusal, how many results)
// clang-format off
#define WEFT_OTHER_NAMES(M) \
  M(inverse, OperationIsAbsent, 1) M(svd, OperationIsAbsent, 3) M(pinv, OperationIsAbsent, 1) \
  M(cholesky, OperationIsAbsent, 1) M(eigh, OperationIsAbsent, 2) M(lstsq, OperationIsAbsent, 1) \
  M(fft, OperationIsAbsent, 1) M(ifft, OperationIsAbsent, 1) M(rfft, OperationIsAbsent, 1) \
  M(stft, OperationIsAbsent, 1) M(poisson, OperationIsAbsent, 1) M(inv, OperationIsAbsent, 1) \
  M(det, OperationIsAbsent, 1) M(qr, OperationIsAbsent, 2) M(solve, OperationIsAbsent, 1) \
  M(slogdet, OperationIsAbsent, 2) M(matrix_exp, OperationIsAbsent, 1) M(layernorm, OperationIsSpelled, 1) \
  M(batchnorm, OperationIsSpelled, 1) M(leakyrelu, OperationIsSpelled, 1) M(logsoftmax, OperationIsSpelled, 1) \
  M(stdev, OperationIsSpelled, 1) M(relu_, OperationIsSpelled, 1) M(sigmoid_, OperationIsSpelled, 1) \
  M(crossentropy, OperationIsSpelled, 1) M(power, OperationIsSpelled, 1) M(swish, OperationIsSpelled, 1) \
  M(expand_dims, OperationIsSpelled, 1) M(flex_attention, OperationIsSpelled, 1) M(frexp, OperationIsAbsent, 2) \
 M(eig, OperationIsAbsent, 2) M(logdet, OperationIsAbsent, 1) M(cond, TransformIsSpelled, 1)
// clang-format on
namespace spelled {
#define WEFT_SPELLED(name, Refusal, results) struct name;
WEFT_OTHER_NAMES(WEFT_SPELLED)
#undef WEFT_SPELLED
struct scan;
struct fori_loop;
struct while_loop;
}  // namespace spelled

namespace detail {
// A value by way of a conversion: whatever else takes the value itself is the better candidate.
template <class Self>
struct LastChoice {
  const Self& value;
  constexpr LastChoice(const Self& v) : value(v) {}
};
template <int Results, class Self>
constexpr auto refused_results(const Self& x) {
  if constexpr (Results == 1)
    return x;
  else if constexpr (Results == 2)
    return std::pair{x, x};
  else
    return std::tuple{x, x, x};
}
}  // namespace detail

}  // namespace WEFT_NAMESPACE

// The friends of Self, a traced value or a tensor. (Of a base class's base nvcc 13.0 evaluates no constants.)
#define WEFT_OTHER_NAME(name, Refusal, results)                                     \
  template <int... A, class... B>                                                   \
  friend constexpr auto name(detail::LastChoice<Self> x, const B&...) {             \
    static_assert(sizeof(Refusal<(sizeof...(B) > 1024), spelled::name, Self>) > 0); \
    return detail::refused_results<results>(x.value);                               \
  }
#define WEFT_FRIENDS_OF_OTHER_NAMES                                                            \
  WEFT_OTHER_NAMES(WEFT_OTHER_NAME)                                                            \
  template <class F, class... B>                                                               \
  friend constexpr auto scan(const F&, detail::LastChoice<Self> x, const B&...) {              \
    static_assert(sizeof(TransformIsSpelled<(sizeof...(B) > 1024), spelled::scan, Self>) > 0); \
    return detail::refused_results<2>(x.value);                                                \
  }                                                                                            \
  template <class F>                                                                           \
  friend constexpr auto fori_loop(i64, i64, const F&, detail::LastChoice<Self> x) {            \
    static_assert(sizeof(TransformIsSpelled<(sizeof(F) == 0), spelled::fori_loop, Self>) > 0); \
    return x.value;                                                                            \
  }
