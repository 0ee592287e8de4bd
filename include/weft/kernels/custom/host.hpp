#pragma once
// Custom primitives on the host, and what both devices share: a launch's pointers and extents as typed
// tensors. Words and numbers: compiler/lower/custom.hpp.

#include <utility>

#include "weft/core/custom_op.hpp"
#include "weft/core/diagnose.hpp"
#include "weft/kernels/launch/host.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(CustomGradientDefined,
             "custom: a primitive without a gradient is differentiated: give its custom_op a static "
             "constexpr gradient(g, y, operands...), the result y and every operand among its parameters, or "
             "stop_gradient(x) before it");
WEFT_REFUSAL(CustomRunsOnHost,
             "custom: the primitive has no static host(...) that takes these tensors: the result, "
             "then the operands, const");
WEFT_REFUSAL(CustomRunsOnCuda,
             "custom: the primitive has no static cuda(...) that takes these tensors and a "
             "cudaStream_t: the result, then the operands, const");

}  // namespace WEFT_NAMESPACE

namespace WEFT_NAMESPACE::kernels {

static_assert(most_custom_operands < LaunchArgs::max_operands);

template <class Op, class... A>
concept CustomHost = requires(const A&... a) {
  Op::host(a...);
};

// The extents of tensor `which`.
inline Dims custom_dims(const u64* numbers, int which) {
  for (; which > 0; --which) numbers += 1 + numbers[0];
  Dims d;
  d.rank = static_cast<int>(numbers[0]);
  for (int a = 0; a < d.rank; ++a) d.extent[a] = static_cast<i64>(numbers[1 + a]);
  return d;
}

template <class C, int K>
using custom_element = std::conditional_t<K == 0, ctype<static_cast<DType>(C::w[3 + K])>,
                                          const ctype<static_cast<DType>(C::w[3 + K])>>;

// Calls f(primitive, result, operands...).
template <class C, class Launch, class F, std::size_t... K>
void call_custom(const Launch& launch, const F& f, std::index_sequence<K...>) {
  using Op = custom_op<C::w[0]>;
  constexpr bool defined = C::w[1] == 0;
  static_assert(sizeof(CustomGradientDefined<defined, Op>) > 0);
  if constexpr (defined)
    f(Op{}, CustomTensor<custom_element<C, static_cast<int>(K)>>{
                static_cast<custom_element<C, static_cast<int>(K)>*>(launch.args.pointer[K]),
                custom_dims(launch.numbers, static_cast<int>(K))}...);
}
template <class C, class Launch, class F>
void call_custom(const Launch& launch, const F& f) {
  call_custom<C>(launch, f, std::make_index_sequence<C::w[2]>{});
}

template <class C>
void run_custom(const HostLaunch& launch, int threads) {
  call_custom<C>(launch, [&]<class Op, class... T>(Op, const T&... tensor) {
    if constexpr (CustomHost<Op, T..., int>) {
      Op::host(tensor..., threads);
    } else {
      constexpr bool runs = CustomHost<Op, T...>;
      static_assert(sizeof(CustomRunsOnHost<runs, Op, T...>) > 0);
      if constexpr (runs) Op::host(tensor...);
    }
  });
}

}  // namespace WEFT_NAMESPACE::kernels
