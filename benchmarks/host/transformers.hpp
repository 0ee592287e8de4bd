#pragma once
// Steps of small Transformers on the host: the GPT of examples/gpt.hpp, a vision Transformer, an encoder, and
// a token of the GPT behind a full cache.

#include "../../examples/gpt.hpp"
#include "worker.hpp"

namespace bench {

namespace nn = weft::nn;
using namespace weft;

inline constexpr gpt::Sizes small_gpt{
    .vocabulary = 128, .context = 128, .width = 128, .heads = 4, .layers = 4};
inline constexpr i64 texts = 32;  // a batch

inline constexpr nn::TransformerOptions encoder_options{
    .dim_feedforward = 512, .dropout = 0.1f, .batch_first = true, .norm_first = true};
template <nn::TransformerOptions O>
using EncoderLayers = nn::TransformerEncoder<nn::TransformerEncoderLayer<128, 4, O, nn::GELU>, 4>;

// Pictures (N, 3, 32, 32) in patches of 4x4 -> the logits of 10 classes.
struct Vit {
  nn::Conv2d<3, 128, 4, nn::ConvOptions{.stride = 4}> patches;
  nn::Param<f32, Shape<64, 128>, nn::init::Normal<1, 50>> position;
  EncoderLayers<encoder_options> encoder;
  nn::LayerNorm<128> norm;
  nn::Linear<128, 10> head;
  constexpr auto operator()(auto picture) const {
    const auto tokens = transpose<1, 2>(flatten<2>(patches(picture)));  // (N, 64, 128)
    return head(mean<1>(norm(encoder(tokens + position))));
  }
};

// Tokens (N, 128) of 1,000 -> the logits of each: an encoder that is normalised behind its branches.
struct Bert {
  static constexpr nn::TransformerOptions options{
      .dim_feedforward = 512, .dropout = 0.1f, .batch_first = true};
  nn::Embedding<1000, 128> words;
  nn::Param<f32, Shape<128, 128>, nn::init::Normal<1, 50>> position;
  nn::LayerNorm<128> norm;
  nn::Dropout drop{.p = 0.1f};
  EncoderLayers<options> encoder;
  nn::Linear<128, 1000> head;
  constexpr auto operator()(auto tokens) const { return head(encoder(drop(norm(words(tokens) + position)))); }
};

// A training step on one batch.
template <class M, class X, class Y>
int transformer_step(const std::vector<typename X::dtype>& x, const std::vector<typename Y::dtype>& y, X, Y,
                     std::function<std::function<void()>()> make_floor = {}) {
  const MemoryWatch memory;
  auto trainer = make_trainer<M>(
      Cpu{},
      [](const auto& model, auto input, auto label) {
        const auto logits = model(input);
        constexpr i64 classes = decltype(logits)::shape::value[-1];
        return cross_entropy(reshape<-1, classes>(logits), flatten<0>(label));
      },
      X{}, Y{}, optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f}, clip::norm(1.0f));
  Timed timed;
  timed.run = [&] { trainer.step(x, y); };
  timed.make_floor = std::move(make_floor);
  timed.facts = "\"launches\": " + std::to_string(trainer.launches()) +
                ", \"workspace_bytes\": " + std::to_string(trainer.workspace_bytes()) +
                ", \"state_bytes\": " + std::to_string(trainer.state_bytes());
  return serve(memory, timed);
}

// A token behind 1,023 others.
inline int decode_case() {
  static constexpr gpt::Sizes sizes{
      .vocabulary = 128, .context = 1024, .width = 128, .heads = 4, .layers = 4};
  const MemoryWatch memory;
  Model<gpt::Gpt<sizes>> model(Cpu{}, 1);
  Model<gpt::Cache<sizes>> cache;
  auto next = compile(
      states(model, cache),
      [](const auto& m, const auto& kept, auto token, auto position) { return m(token, position, kept); },
      in<i32>, in<i32>);
  for (i32 k = 0; k < 1023; ++k) next(k % 128, k);
  Timed timed;
  timed.run = [&] { next(5, 1023); };
  timed.facts = "\"launches\": " + std::to_string(next.launches()) +
                ", \"workspace_bytes\": " + std::to_string(next.workspace_bytes());
  return serve(memory, timed);
}

}  // namespace bench
