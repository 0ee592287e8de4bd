// `./weft bench cuda`: a training step of GPT-2 124M on 16 sequences of 1,024 tokens, products in bf16, AdamW
// and a clipped norm.

#include "../compile/gpt2.hpp"
#include "worker.cuh"

int main() try {
  using namespace weft;
  const bench::DeviceMemoryWatch memory;
  const auto tokens = bench::fill<i32>(Shape<16, 1024>{}, 50257),
             targets = bench::fill<i32>(Shape<16, 1024>{}, 50257);
  return bench::training_case(
      memory,
      make_trainer<gpt2::Gpt2<1024, 768, 12, 50257, 12, gpt2::Depth::unrolled, gpt2::Attends::at_once>>(
          Cuda{}, gpt2::NextToken{}, in<i32, 16, 1024>, in<i32, 16, 1024>,
          optim::AdamW{.lr = 3e-4f, .weight_decay = 0.1f}, clip::norm(1.0f), precision::bf16),
      tokens, targets);
} catch (const weft::Error& error) {
  std::fprintf(stderr, "cuda_gpt2: %s\n", error.what());
  return 1;
}
