// Kernels of every sort for resources.sh, which reads what ptxas says about them. Never run.
#include "weft/exec/trace.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/targets/cuda/kernels.cuh"

using namespace weft;

namespace {

template <class F, class... I>
const exec::CudaKernel* kernels_of(F, I...) {
  return exec::CudaKernels<exec::Compiled<exec::FunctionSource<F, I...>>>::table.at;
}

struct CausalAttention {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return value_and_grad<0, 1, 2>([](auto... x) {
      return sum(cast<f32>(scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(x...)));
    })(q, k, v);
  }
};
template <class T, i64 Width>
constexpr auto heads = in<T, 2, 4, 512, Width>;

}  // namespace

const exec::CudaKernel* all_kernels[]{
    kernels_of(SoftmaxOp<-1>{}, in<f32, 512, 768>),
    kernels_of(SoftmaxOp<-1>{}, in<f32, 512, 4096>),
    kernels_of(SoftmaxOp<-1>{}, in<f32, 512, 10>),
    kernels_of(SoftmaxOp<-1>{}, in<bf16, 512, 1024>),
    kernels_of(
        [](auto x, auto w, auto b) {
          auto d = x - mean<-1>(x, keepdim);
          return d * rsqrt(mean<-1>(d * d, keepdim) + 1e-5f) * w + b;
        },
        in<f32, 512, 768>, in<f32, 768>, in<f32, 768>),
    kernels_of(
        [](auto x, auto g) {
          auto d = x - mean<-1>(x, keepdim);
          auto n = d * rsqrt(mean<-1>(d * d, keepdim) + 1e-5f);
          return std::tuple{sum<0>(g * n), sum<0>(g),
                            g - mean<-1>(g, keepdim) - n * mean<-1>(g * n, keepdim)};
        },
        in<f32, 4096, 768>, in<f32, 4096, 768>),
    // the gradient of a normalisation between products without biases, several rows a block
    kernels_of(
        [](auto x, auto weight, auto bias, auto a, auto c, auto y) {
          return value_and_grad<0, 1, 2>(
              [](auto product, auto w, auto b, auto second, auto input, auto target) {
                return mse_loss(matmul(layer_norm(matmul(input, product), w, b), second), target);
              })(a, weight, bias, c, x, y);
        },
        in<f32, 4096, 128>, in<f32, 128>, in<f32, 128>, in<f32, 128, 128>, in<f32, 128, 128>,
        in<f32, 4096, 128>),
    kernels_of([](auto x, auto l) { return cross_entropy(x, l); }, in<f32, 1024, 50257>, in<i32, 1024>),
    kernels_of(
        [](auto x, auto l) {
          return value_and_grad([](auto y, auto t) { return cross_entropy(y, t); })(x, l);
        },
        in<bf16, 1024, 50257>, in<i32, 1024>),
    kernels_of([](auto x, auto l) { return cross_entropy(x, l); }, in<f32, 1024, 10>, in<i64, 1024>),
    kernels_of([](auto x, auto b) { return gelu_tanh(x + b); }, in<f32, 512, 768>, in<f32, 768>),
    kernels_of([](auto x) { return gelu(x); }, in<bf16, 512, 768>),
    kernels_of([](auto x) { return dropout(x, 0.1f); }, in<f32, 512, 768>),
    kernels_of(
        [](auto x) {
          return std::tuple{sin(x), cos(x), tan(x)};
        },
        in<bf16, 512, 768>),
    kernels_of(
        [](auto x) {
          return std::tuple{argmax<-1>(x), max<-1>(x)};
        },
        in<f32, 512, 768>),
    kernels_of(
        [](auto x) {
          return std::tuple{sum<0>(x), sum<>(x * x)};
        },
        in<f32, 4096, 768>),
    kernels_of([](auto x) { return sum<0>(x); }, in<f32, 4096, 10>),
    kernels_of([](auto x, auto y) { return permute<1, 0>(x) * y; }, in<f64, 40, 24>, in<f64, 24, 40>),
    kernels_of(
        [](auto p, auto g, auto m, auto v) {
          auto m2 = m * 0.9f + g * 0.1f;
          auto v2 = v * 0.999f + g * g * 0.001f;
          return std::tuple{p * 0.999f - 0.001f * (m2 * 1.1f) / (sqrt(v2 * 1.2f) + 1e-8f), m2, v2};
        },
        in<f32, 1000000>, in<f32, 1000000>, in<f32, 1000000>, in<f32, 1000000>),
    // attention and its gradients, which have other kernels for sm_90a
    kernels_of(CausalAttention{}, heads<bf16, 64>, heads<bf16, 64>, heads<bf16, 64>),
    kernels_of(CausalAttention{}, heads<f16, 128>, heads<f16, 128>, heads<f16, 128>),
};
constexpr u64 dtype_word(DType t) { return static_cast<u64>(t); }
const exec::CudaKernel index_kernels[]{
    &kernels::run_cuda_gather<dtype_word(DType::f32), dtype_word(DType::i32)>,
    &kernels::run_cuda_gather<dtype_word(DType::bf16), dtype_word(DType::i64)>,
    &kernels::run_cuda_scatter_add<dtype_word(DType::f32), dtype_word(DType::i32)>,
    &kernels::run_cuda_scatter_add<dtype_word(DType::bf16), dtype_word(DType::i64)>,
    &kernels::run_cuda_scan<dtype_word(DType::f32), 0>,
    &kernels::run_cuda_scan<dtype_word(DType::f64), 4>,
    &kernels::run_cuda_argsort<dtype_word(DType::f32)>,
    &kernels::run_cuda_argsort<dtype_word(DType::f64)>,
    &kernels::run_cuda_take<dtype_word(DType::bf16), dtype_word(DType::i64)>,
    &kernels::run_cuda_scatter<dtype_word(DType::f32), dtype_word(DType::i64), 0>,
    &kernels::run_cuda_scatter<dtype_word(DType::i64), dtype_word(DType::i32), 2>,
    &kernels::run_cuda_search<dtype_word(DType::f32)>,
    &kernels::run_cuda_dot_tiled<dtype_word(DType::i32), dtype_word(DType::i32), dtype_word(DType::i32), 0>,
    &kernels::run_cuda_dot_tiled<dtype_word(DType::bf16), dtype_word(DType::f32), dtype_word(DType::f32),
                                 kernels::dot_adds | kernels::dot_has_bias>,
    &kernels::run_cuda_dot_mma<dtype_word(DType::bf16), dtype_word(DType::bf16),
                               kernels::dot_adds | kernels::dot_has_bias>,
    &kernels::run_cuda_dot_mma<dtype_word(DType::f16), dtype_word(DType::f32), 0>,
    &kernels::run_cuda_conv<dtype_word(DType::f32), dtype_word(DType::f32), dtype_word(DType::f32), 0>,
    &kernels::run_cuda_conv<dtype_word(DType::f64), dtype_word(DType::f64), dtype_word(DType::f64), 0>,
    &kernels::run_cuda_conv<dtype_word(DType::bf16), dtype_word(DType::bf16), dtype_word(DType::f32), 0>,
    &kernels::run_cuda_conv<dtype_word(DType::f32), dtype_word(DType::f32), dtype_word(DType::f32), 1>,
    &kernels::run_cuda_conv<dtype_word(DType::f16), dtype_word(DType::f16), dtype_word(DType::f16), 0>,
};
