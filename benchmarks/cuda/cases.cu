// Functions among the cases of `./weft bench cuda`, one a process, beside PyTorch's counterparts (peer.py).
// `cases NAME` serves one case, `cases` names the GPU and what the program was built with; where there is
// none, it says so.

#include "../models.hpp"
#include "worker.cuh"

using namespace weft;
namespace nn = weft::nn;

namespace {

struct CrossEntropyBothWays {
  constexpr auto operator()(auto x, auto target) const {
    return value_and_grad([](auto logits, auto t) { return cross_entropy(logits, t); })(x, target);
  }
};
struct Chain {
  constexpr auto operator()(auto x, auto a, auto b) const { return gelu(x * a + b) * sigmoid(x); }
};
struct Softmax {
  constexpr auto operator()(auto x) const { return softmax<-1>(x); }
};
struct Product {
  constexpr auto operator()(auto a, auto b) const { return matmul(a, b); }
};
// Products and what is done to their results on the way to memory.
struct LinearGelu {
  constexpr auto operator()(auto x, auto weight, auto bias) const {
    return gelu_tanh(linear(x, weight, bias));
  }
};
struct LinearResidual {
  constexpr auto operator()(auto x, auto weight, auto bias, auto residual) const {
    return residual + linear(x, weight, bias);
  }
};

template <i64 Batch, i64 Heads, i64 Length, i64 Width>
int attention_case(bool gradients) {
  using X = Input<bf16, Shape<Batch, Heads, Length, Width>>;
  if (gradients)
    return bench::function_case<0>(bench::BothWays<bench::CausalAttention>{}, X{}, X{}, X{}, X{});
  return bench::function_case<0>(bench::CausalAttention{}, X{}, X{}, X{});
}

using Images = Input<bf16, Shape<64, 256, 28, 28>>;
using Filters = Input<bf16, Shape<256, 256, 3, 3>>;

// What a machine can do: a copy of 1 GiB within the device's memory.
int copy() {
  const bench::DeviceMemoryWatch memory;
  const std::size_t bytes = std::size_t{1} << 30;
  DeviceBuffer from(bytes), to(bytes);
  cuda_zero(from.data(), bytes, cudaStreamPerThread);
  return bench::serve(memory, {[&] { cuda_copy(to.data(), from.data(), bytes, cudaStreamPerThread); },
                               bench::fact("bytes", 2 * static_cast<i64>(bytes))});
}

int measure(const std::string& name) {
  if (name == "copy") return copy();
  if (name == "product_f32")
    return bench::function_case<0>(Product{}, in<f32, 4096, 4096>, in<f32, 4096, 4096>);
  if (name == "product_bf16")
    return bench::function_case<0>(Product{}, in<bf16, 8192, 8192>, in<bf16, 8192, 8192>);
  if (name == "linear_gelu")
    return bench::function_case<0>(LinearGelu{}, in<bf16, 16384, 768>, in<bf16, 3072, 768>, in<bf16, 3072>);
  if (name == "linear_residual")
    return bench::function_case<0>(LinearResidual{}, in<bf16, 16384, 3072>, in<bf16, 768, 3072>,
                                   in<bf16, 768>, in<bf16, 16384, 768>);
  if (name == "chain")
    return bench::function_case<0>(Chain{}, in<f32, 8192, 4096>, in<f32, 8192, 4096>, in<f32, 8192, 4096>);
  if (name == "softmax") return bench::function_case<0>(Softmax{}, in<f32, 32768, 1024>);
  if (name == "layer_norm")
    return bench::function_case<0>(bench::BothWays<bench::LayerNorm>{}, in<f32, 32768, 1024>, in<f32, 1024>,
                                   in<f32, 1024>, in<f32, 32768, 1024>);
  if (name == "rms_norm")
    return bench::function_case<0>(bench::BothWays<bench::RmsNorm>{}, in<f32, 32768, 1024>, in<f32, 1024>,
                                   in<f32, 32768, 1024>);
  if (name == "cross_entropy")
    return bench::function_case<50257>(CrossEntropyBothWays{}, in<bf16, 16384, 50257>, in<i32, 16384>);
  if (name == "attention") return attention_case<16, 12, 1024, 64>(false);
  if (name == "attention_both") return attention_case<16, 12, 1024, 64>(true);
  if (name == "attention_long") return attention_case<4, 16, 4096, 128>(false);
  if (name == "attention_long_both") return attention_case<4, 16, 4096, 128>(true);
  if (name == "conv") return bench::function_case<0>(bench::Conv3x3{}, Images{}, Filters{});
  if (name == "conv_both")
    return bench::function_case<0>(bench::BothWays<bench::Conv3x3>{}, Images{}, Filters{}, Images{});
  std::fprintf(stderr, "there is no case '%s'\n", name.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1) return measure(argv[1]);
  if (cuda_device_count() == 0) {
    std::printf("{\"gpu\": null}\n");
    return 0;
  }
  cudaDeviceProp gpu{};
  cuda_check(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  int driver = 0;
  cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::printf(
      "{\"gpu\": \"%s\", \"multiprocessors\": %d, \"gib\": %.1f, \"driver\": %d, \"weft\": \"%d.%d.%d\", "
      "\"cuda\": %d}\n",
      gpu.name, gpu.multiProcessorCount, static_cast<double>(gpu.totalGlobalMem) / (1 << 30), driver,
      WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH, CUDART_VERSION);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "cuda_cases: %s\n", error.what());
  return 1;
}
