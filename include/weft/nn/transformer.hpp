#pragma once
// TransformerEncoder, TransformerDecoder and Transformer: stacks of layers with PyTorch's names
// ("encoder.layers.0.self_attn.in_proj_weight"). Every layer has weights and a start of its own, and is
// traced once for all.

#include "weft/nn/spelling.hpp"
#include "weft/nn/stack.hpp"
#include "weft/nn/transformer_layer.hpp"

namespace WEFT_NAMESPACE::nn {

namespace module_detail {

// All layers, then the norm if there is one. x is taken as what a layer makes of it.
template <class Layer, int N, class Norm>
constexpr auto run_stack(const Stack<Layer, N>& layers, const Norm& norm, const auto& x,
                         const auto&... more) {
  using Result = decltype(layers.block(to_expr(x), more...));
  const auto y = [&] {
    if constexpr (is_expr<Result>)
      return layers(cast<typename Result::dtype>(to_expr(x)), more...);
    else
      return layers(x, more...);
  }();
  if constexpr (is_given<Norm>)
    return norm(y);
  else
    return y;
}

}  // namespace module_detail

WEFT_REFUSAL(
    LayersAreCounted,
    "the number of layers follows the layer: nn::TransformerEncoder<nn::TransformerEncoderLayer<512, "
    "8>, 6>, nn::TransformerDecoder<nn::TransformerDecoderLayer<512, 8>, 6>");

// TransformerEncoder<TransformerEncoderLayer<512, 8>, 6, LayerNorm<512>>: encoder(src, ...) with the named
// arguments of its layers (PyTorch's mask is src_mask). Without Norm there is none.
template <class Layer, int NumLayers = 0, class Norm = Absent>
struct TransformerEncoder {
  static_assert(sizeof(LayersAreCounted<(NumLayers >= 1), GivenSize<NumLayers>>) > 0);
  Stack<Layer, (NumLayers >= 1 ? NumLayers : 1)> layers{};
  Norm norm{};
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& src, const auto&... keywords) const {
    return module_detail::run_stack(layers, norm, src, keywords...);
  }
};

// TransformerDecoder<TransformerDecoderLayer<512, 8>, 6, LayerNorm<512>>: decoder(tgt, memory, ...).
template <class Layer, int NumLayers = 0, class Norm = Absent>
struct TransformerDecoder {
  static_assert(sizeof(LayersAreCounted<(NumLayers >= 1), GivenSize<NumLayers>>) > 0);
  Stack<Layer, (NumLayers >= 1 ? NumLayers : 1)> layers{};
  Norm norm{};
  WEFT_REFUSED_ONE(TransformerDecoder)
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& tgt, const auto& memory, const auto&... keywords) const {
    return module_detail::run_stack(layers, norm, tgt, memory, keywords...);
  }
};

// transformer(src, tgt, ...): src (S, N, DModel), tgt (T, N, DModel) -> (T, N, DModel); axes as in the
// layers. Named arguments: src_mask, tgt_mask, memory_mask, the same with key_padding_mask and is_causal in
// the place of mask. Weights start as PyTorch's: xavier_uniform.
template <i64 DModel = 512, i64 NHead = 8, int NumEncoderLayers = 6, int NumDecoderLayers = 6,
          TransformerOptions O = TransformerOptions{}, class Activation = ReLU>
struct Transformer {
  using Norm = module_detail::TransformerNorm<DModel, O, ctype<O.dtype>>;
  using Start = init::XavierUniform<>;
  TransformerEncoder<TransformerEncoderLayer<DModel, NHead, O, Activation, Start>, NumEncoderLayers, Norm>
      encoder{.norm = {.eps = O.layer_norm_eps}};
  TransformerDecoder<TransformerDecoderLayer<DModel, NHead, O, Activation, Start>, NumDecoderLayers, Norm>
      decoder{.norm = {.eps = O.layer_norm_eps}};

  WEFT_REFUSED_ONE(Transformer)
  WEFT_REFUSED_FORWARD
  template <class... A>
  constexpr auto operator()(const auto& src, const auto& tgt, const A&... keywords) const {
    using module_detail::flag, module_detail::keyword;
    constexpr bool known =
        module_detail::Keywords<Keyword::src_mask, Keyword::src_key_padding_mask, Keyword::src_is_causal,
                                Keyword::tgt_mask, Keyword::tgt_key_padding_mask, Keyword::tgt_is_causal,
                                Keyword::memory_mask, Keyword::memory_key_padding_mask,
                                Keyword::memory_is_causal>::template fit<A...>;
    static_assert(sizeof(WordsFit<known, Transformer, A...>) > 0);
    const auto memory =
        encoder(src, src_mask(keyword<Keyword::src_mask>(keywords...)),
                src_key_padding_mask(keyword<Keyword::src_key_padding_mask>(keywords...)),
                Named<Keyword::is_causal, std::bool_constant<flag<Keyword::src_is_causal, A...>(false)>>{});
    return decoder(
        tgt, memory, tgt_mask(keyword<Keyword::tgt_mask>(keywords...)),
        tgt_key_padding_mask(keyword<Keyword::tgt_key_padding_mask>(keywords...)),
        Named<Keyword::tgt_is_causal, std::bool_constant<flag<Keyword::tgt_is_causal, A...>(false)>>{},
        memory_mask(keyword<Keyword::memory_mask>(keywords...)),
        memory_key_padding_mask(keyword<Keyword::memory_key_padding_mask>(keywords...)),
        Named<Keyword::memory_is_causal, std::bool_constant<flag<Keyword::memory_is_causal, A...>(false)>>{});
  }
};

}  // namespace WEFT_NAMESPACE::nn
