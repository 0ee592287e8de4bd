// The code of docs/custom_primitives.md stands between its marks and is compared with the page.
#include <doctest/doctest.h>

#include <cmath>

#include "weft/cuda.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/core/custom.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/loop.hpp"
#include "weft/train/make_trainer.hpp"

// [cuda]
template <class T>
__global__ void swish_kernel(T* y, const T* x, const T* beta, weft::i64 n) {
  const weft::i64 i = weft::i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 + exp(-beta[0] * x[i]));
}

template <>
struct weft::custom_op<weft::op_id("swish")> {
  static constexpr const char* name = "swish";
  template <class T>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, weft::CustomTensor<const T> beta) {
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = x[i] / (1 + std::exp(-beta[0] * x[i]));
  }
  template <class T>
  static void cuda(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, weft::CustomTensor<const T> beta,
                   cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((y.size() + 255) / 256);
    swish_kernel<<<blocks, 256, 0, stream>>>(y.data, x.data, beta.data, y.size());
    weft::cuda_check(cudaGetLastError(), "swish");
  }
  static constexpr auto gradient(auto g, auto y, auto x, auto beta) {
    const auto s = weft::sigmoid(beta * x);
    const auto rest = (x - y) * s;
    return std::tuple{g * (s + beta * rest), weft::sum(g * x * rest)};
  }
};
// [/cuda]
inline constexpr auto& swish = weft::custom<weft::op_id("swish")>;

// Launches more threads than a block has, and does not look.
template <>
struct weft::custom_op<weft::op_id("too_wide")> {
  static constexpr const char* name = "too_wide";
  template <class T>
  static void cuda(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, cudaStream_t stream) {
    swish_kernel<<<1, 2048, 0, stream>>>(y.data, x.data, x.data, y.size());
  }
};
inline constexpr auto& too_wide = weft::custom<weft::op_id("too_wide")>;

using namespace weft;

namespace {

struct Net {
  nn::Linear<4, 8> fc1;
  nn::Linear<8, 2> fc2;
  nn::Param<f32, Shape<>, nn::init::Ones> beta;
  constexpr auto operator()(auto x) const { return fc2(swish(fc1(x), beta)); }
};

template <class Device>
std::vector<f32> losses(const Device& device) {
  auto trainer = make_trainer<Net>(
      device, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 6, 4>, in<f32, 6, 2>,
      optim::SGD{.lr = 0.1f}, seed{5});
  std::vector<f32> x(24), y(12), out;
  for (std::size_t i = 0; i < 24; ++i) x[i] = std::sin(static_cast<f32>(i));
  for (std::size_t i = 0; i < 12; ++i) y[i] = std::cos(static_cast<f32>(i));
  for (int k = 0; k < 10; ++k) out.push_back(trainer.step(x, y));
  return out;
}

template <class Device>
std::vector<f32> gradients(const Device& device) {
  auto f = compile(
      device,
      [](auto x, auto beta) {
        const auto total = [](auto z, auto b) {
          return sum(loop<3>([b](auto c) { return swish(c * 2, b) + c; }, z));
        };
        return std::tuple{grad<0>(total)(x, beta), grad<1>(total)(x, beta)};
      },
      in<f32, 3, 5>, in<f32>);
  std::vector<f32> x(15), gx(15), gb(1);
  for (std::size_t i = 0; i < 15; ++i) x[i] = std::sin(static_cast<f32>(i));
  f.into(gx, gb)(x, 0.7f);
  gx.push_back(gb[0]);
  return gx;
}

}  // namespace

TEST_CASE("custom: a GPU runs the primitive's own kernels in a step, and in a loop with its gradient") {
  const std::vector<f32> host = losses(Cpu{}), gpu = losses(Cuda{0});
  for (std::size_t k = 0; k < host.size(); ++k) CHECK(gpu[k] == doctest::Approx(host[k]).epsilon(1e-5));
  CHECK(host.back() < host.front());
  const std::vector<f32> on_host = gradients(Cpu{}), on_gpu = gradients(Cuda{0});
  for (std::size_t k = 0; k < on_host.size(); ++k)
    CHECK(on_gpu[k] == doctest::Approx(on_host[k]).epsilon(1e-4));
}

TEST_CASE(
    "cuda custom: a launch that fails is the operation's, and what failed before weft was called is not "
    "weft's") {
  std::string said;
  try {
    auto f = compile(
        Cuda{}, [](auto x) { return too_wide(x); }, in<f32, 64>);
    f(std::vector<f32>(64));
  } catch (const Error& e) {
    said = e.what();
  }
  CHECK(said.find("a custom operation") != std::string::npos);

  auto g = compile(
      Cuda{}, [](auto x) { return x + 1; }, in<f32, 4>);
  CHECK(cudaSetDevice(99) != cudaSuccess);
  said = "";
  try {
    g(std::vector<f32>(4));
  } catch (const Error& e) {
    said = e.id();
  }
  CHECK(said == "cuda/earlier");
  CHECK(g(std::vector<f32>(4)).to_vector()[3] == 1);

  Event event;  // asked before it is ready, which leaves a status behind, and is no failure
  const auto pending = g(std::vector<f32>(4));
  event.record(cudaStreamPerThread);
  const cudaError_t status = cudaEventQuery(event.get());
  CHECK((status == cudaSuccess || status == cudaErrorNotReady));
  CHECK(g(std::vector<f32>(4)).to_vector()[3] == 1);
}
