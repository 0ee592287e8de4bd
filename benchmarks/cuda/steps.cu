// Training steps among the cases of `./weft bench cuda`: `steps NAME` serves one.

#include "../models.hpp"
#include "worker.cuh"

using namespace weft;
namespace nn = weft::nn;

namespace {

// A step of AdamW on one batch of pictures, or of other samples; options of make_trainer beside it.
template <class M, i64 Batch, i64... Sample>
int classifier(auto... options) {
  const bench::DeviceMemoryWatch memory;
  const auto image = bench::fill<f32>(Shape<Batch, Sample...>{}, 0);
  const auto label = bench::fill<i32>(Shape<Batch>{}, 10);
  return bench::training_case(
      memory,
      make_trainer<M>(
          Cuda{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); },
          in<f32, Batch, Sample...>, in<i32, Batch>, optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f},
          options...),
      image, label);
}

// The parameters of GPT-2's twelve blocks and of its embedding, 124M, and a loss that costs next to nothing:
// what is left of the step is the clipped norm and the update.
struct Weights {
  struct Block {
    nn::Linear<768, 2304> c_attn;
    nn::Linear<768, 768> c_proj;
    nn::Linear<768, 3072> c_fc;
    nn::Linear<3072, 768> c_out;
    nn::LayerNorm<768> ln_1, ln_2;
  };
  nn::Embedding<50257, 768> wte;
  std::array<Block, 12> h;
};
struct SumOfSquares {
  constexpr auto operator()(const auto& model, auto scale) const {
    auto total = sum(model.wte.weight * model.wte.weight);
    const auto add = [&](const auto&... p) { ((total = total + sum(p * p)), ...); };
    for (const auto& block : model.h)
      add(block.c_attn.weight, block.c_attn.bias, block.c_proj.weight, block.c_proj.bias, block.c_fc.weight,
          block.c_fc.bias, block.c_out.weight, block.c_out.bias, block.ln_1.weight, block.ln_1.bias,
          block.ln_2.weight, block.ln_2.bias);
    return total * scale;
  }
};
int adamw() {
  const bench::DeviceMemoryWatch memory;
  const auto scale = bench::fill<f32>(Shape<>{}, 0);
  return bench::training_case(
      memory,
      make_trainer<Weights>(Cuda{}, SumOfSquares{}, in<f32>, optim::AdamW{.lr = 1e-3f, .weight_decay = 0.1f},
                            clip::norm(1.0f)),
      scale);
}

int measure(const std::string& name) {
  if (name == "adamw") return adamw();
  if (name == "mlp") return classifier<bench::Mlp, 128, 784>();
  if (name == "small_mlp") return classifier<bench::SmallMlp, 32, 64>();
  if (name == "residual_mlp") return classifier<bench::ResidualMlp, 1024, 1024>(precision::bf16);
  if (name == "conv_net") return classifier<bench::ConvNet, 64, 1, 28, 28>();
  std::fprintf(stderr, "there is no case '%s'\n", name.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) try { return argc > 1 ? measure(argv[1]) : 2; } catch (const Error& error) {
  std::fprintf(stderr, "cuda_steps: %s\n", error.what());
  return 1;
}
