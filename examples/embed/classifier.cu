// The model and everything that is compiled for the device. nvcc compiles this file where it is found;
// classifier_cpu.cpp compiles the same text for the CPU.

#include <cstdlib>
#include <weft/weft.hpp>

#include "classifier.hpp"

namespace nn = weft::nn;
using namespace weft;

namespace {

struct Network {
  nn::Linear<64, 256> fc1;
  nn::Dropout drop{.p = 0.3f};
  nn::Linear<256, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

Cpu on_stream(Cpu device, void*) { return device; }
#if defined(__CUDACC__)
Cuda on_stream(Cuda device, void* stream) {
  device.stream = static_cast<cudaStream_t>(stream);
  return device;
}
bool has_gpu() { return cuda_device_count() > 0; }
#endif

}  // namespace

#if defined(__CUDACC__)
const char* device_name() { return has_gpu() ? "cuda" : "cpu"; }
void* make_stream() {
  cudaStream_t stream = nullptr;
  if (has_gpu()) cuda_check(cudaStreamCreate(&stream), "cudaStreamCreate");
  return stream;
}
void destroy_stream(void* stream) {
  if (stream != nullptr)
    cuda_check(cudaStreamDestroy(static_cast<cudaStream_t>(stream)), "cudaStreamDestroy");
}
void* allocate_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (!has_gpu()) return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
}
void free_memory(void* memory) {
  if (has_gpu())
    cuda_check(cudaFree(memory), "cudaFree");
  else
    std::free(memory);
}
#else
const char* device_name() { return "cpu"; }
void* make_stream() { return nullptr; }
void destroy_stream(void*) {}
void* allocate_memory(std::size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }
void free_memory(void* memory) { std::free(memory); }
#endif

Training make_training(void* stream, i64 steps) {
  return on_best_device([&](auto device) -> Training {
    return make_trainer<Network>(
        on_stream(device, stream),
        [](const auto& model, auto image, auto label) { return cross_entropy(model(image), label); },
        in<f32, batch, 64>, in<i32, batch>,
        optim::AdamW{.lr = schedule::warmup_cosine(1e-2, steps / 20, steps)});
  });
}

// The model on whichever device there is.
struct Classifier::Parts {
  virtual ~Parts() = default;
};

namespace {

template <class Device, class Base>
struct PartsOn final : Base {
  PartsOn(const Device& device, void* state) : model(device, 0, state) {}
  Model<Network, Device> model;
};

}  // namespace

i64 Classifier::state_bytes() { return Model<Network>::state_bytes(); }

Classifier::Classifier(const std::string& path, void* stream, void* state) {
  on_best_device([&](auto device) {
    auto parts = std::make_unique<PartsOn<decltype(device), Parts>>(on_stream(device, stream), state);
    parts->model.load(path);
    predict = compile(
        parts->model, [](const auto& m, auto images) { return m(images); }, in<f32, batch, 64>);
    parts_ = std::move(parts);
  });
}

Classifier::~Classifier() = default;
