#include "weft/nn/transformer_layer.hpp"

#include "reference.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace nn_test;
using nn::TransformerOptions;

namespace {

template <class A, class B>
constexpr auto flat(const A& a, const B& b) {
  return cat<0>(reshape<A::size>(a), reshape<B::size>(b));
}
constexpr TransformerOptions post{.dim_feedforward = 12, .dropout = 0};
constexpr TransformerOptions pre{.dim_feedforward = 12,
                                 .dropout = 0,
                                 .layer_norm_eps = 1e-3f,
                                 .batch_first = true,
                                 .norm_first = true,
                                 .bias = false};
constexpr TransformerOptions pre_with_bias{
    .dim_feedforward = 12, .dropout = 0, .batch_first = true, .norm_first = true};

// The modules of tests/parity/generate_attention.py.
struct Encoders {
  nn::TransformerEncoderLayer<8, 2, post> post_norm{};
  nn::TransformerEncoderLayer<8, 2, pre, nn::GELU> pre_norm{};
  nn::Buffer<bool, Shape<2, 5>> padding{};
  constexpr auto operator()(const auto& x) const {
    const auto y = post_norm(x, nn::is_causal);
    return flat(y, pre_norm(transpose<0, 1>(x), nn::src_key_padding_mask(padding)));
  }
};
struct Swish {
  constexpr auto operator()(const auto& x) const { return x * sigmoid(x); }
};
struct Decoders {
  nn::TransformerDecoderLayer<8, 2, post, Swish> post_norm{};
  nn::TransformerDecoderLayer<8, 2, pre_with_bias> pre_norm{};
  nn::Buffer<bool, Shape<5, 4>> mask{};
  nn::Buffer<bool, Shape<2, 4>> padding{};
  constexpr auto operator()(const auto& x, const auto& memory) const {
    const auto y = post_norm(x, memory, nn::memory_mask(mask), nn::tgt_is_causal);
    return flat(y,
                pre_norm(transpose<0, 1>(x), transpose<0, 1>(memory), nn::memory_key_padding_mask(padding)));
  }
};

}  // namespace

TEST_CASE("transformer_layer: encoder layers agree with torch.nn.TransformerEncoderLayer") {
  check_module<Encoders, Shape<5, 2, 8>>(open("transformer"), "encoders");
}
TEST_CASE("transformer_layer: decoder layers agree with torch.nn.TransformerDecoderLayer") {
  check_module<Decoders, Shape<5, 2, 8>, Shape<4, 2, 8>>(open("transformer"), "decoders");
}
