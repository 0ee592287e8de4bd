#pragma once
// TransformerEncoderLayer and TransformerDecoderLayer (Vaswani et al., 2017; with norm_first Xiong et al.,
// 2020), with PyTorch's parameters, order and start. Every keyword of PyTorch's constructors is in the type,
// so that stacks of layers carry it.

#include "weft/nn/activation.hpp"
#include "weft/nn/attention.hpp"
#include "weft/nn/norm.hpp"
#include "weft/nn/spelling.hpp"

namespace WEFT_NAMESPACE::nn {

struct TransformerOptions {
  i64 dim_feedforward = 2048;  // features between the two linear layers
  float dropout = 0.1f;        // of the attention's weights, inside the feedforward part, and of every branch
  float layer_norm_eps = 1e-5f;  // added to the variance
  bool batch_first = false;      // (batch, sequence, features) in place of (sequence, batch, features)
  bool norm_first = false;       // normalise what goes into a branch, not the sum behind it
  bool bias = true;              // of linear layers and norms
  DType dtype = DType::f32;      // of all parameters
};

namespace module_detail {

template <i64 DModel, TransformerOptions O, class T>
using TransformerNorm = std::conditional_t<O.bias, LayerNormOf<T, DModel>, LayerNormNoBiasOf<T, DModel>>;
template <i64 DModel, i64 NHead, TransformerOptions O, class T, class WeightInit>
using TransformerAttention =
    MultiheadAttention<DModel, NHead, MultiheadOptions{.bias = O.bias, .batch_first = O.batch_first}, T,
                       WeightInit>;
template <i64 In, i64 Out, TransformerOptions O, class T, class WeightInit>
using TransformerLinear = Projection<In, Out, O.bias, T, WeightInit, init::FanInUniform<In>>;

// attention(q, kv, kv) with what the words Mask, Padding and Causal say.
template <Keyword Mask, Keyword Padding, Keyword Causal, class... A>
constexpr auto transformer_attend(const auto& attention, const auto& q, const auto& kv,
                                  const A&... keywords) {
  const auto mask = attn_mask(keyword<Mask>(keywords...));
  const auto padding = key_padding_mask(keyword<Padding>(keywords...));
  if constexpr (flag<Causal, A...>(false))
    return attention(q, kv, kv, mask, padding, is_causal);
  else
    return attention(q, kv, kv, mask, padding);
}

// x + branch(x), normalised in front of the branch or behind the sum.
template <bool NormFirst>
constexpr auto residual(const auto& x, const auto& norm, const auto& branch) {
  if constexpr (NormFirst)
    return x + branch(norm(x));
  else
    return norm(x + branch(x));
}

}  // namespace module_detail

// layer(src, ...): src (S, N, DModel), with batch_first (N, S, DModel), or (S, DModel) -> the same. Named
// arguments: src_mask, src_key_padding_mask, is_causal. Activation: a function object such as nn::ReLU,
// nn::GELU or one of your own.
template <i64 DModel, i64 NHead = 0, OptionsOf<TransformerOptions> Options = TransformerOptions{},
          class Activation = ReLU, class WeightInit = init::FanInUniform<>>
struct TransformerEncoderLayer {
  static constexpr TransformerOptions O =
      options_alone<TransformerOptions, TransformerEncoderLayer, Options>();
  using T = ctype<O.dtype>;
  module_detail::TransformerAttention<DModel, NHead, O, T, WeightInit> self_attn{.dropout = O.dropout};
  module_detail::TransformerLinear<DModel, O.dim_feedforward, O, T, WeightInit> linear1{};
  Dropout dropout{.p = O.dropout};
  module_detail::TransformerLinear<O.dim_feedforward, DModel, O, T, WeightInit> linear2{};
  module_detail::TransformerNorm<DModel, O, T> norm1{.eps = O.layer_norm_eps};
  module_detail::TransformerNorm<DModel, O, T> norm2{.eps = O.layer_norm_eps};
  Dropout dropout1{.p = O.dropout};
  Dropout dropout2{.p = O.dropout};
  Activation activation{};

  WEFT_REFUSED_FORWARD
  template <class... A>
  constexpr auto operator()(const auto& src, const A&... keywords) const {
    constexpr bool known = module_detail::Keywords<Keyword::src_mask, Keyword::src_key_padding_mask,
                                                   Keyword::is_causal>::template fit<A...>;
    static_assert(sizeof(WordsFit<known, TransformerEncoderLayer, A...>) > 0);
    const auto attend = [&](const auto& x) {
      return dropout1(module_detail::transformer_attend<Keyword::src_mask, Keyword::src_key_padding_mask,
                                                        Keyword::is_causal>(self_attn, x, x, keywords...));
    };
    const auto feed_forward = [&](const auto& x) {
      return dropout2(linear2(dropout(activation(linear1(x)))));
    };
    const auto x = module_detail::residual<O.norm_first>(to_expr(src), norm1, attend);
    return module_detail::residual<O.norm_first>(x, norm2, feed_forward);
  }
};

// layer(tgt, memory, ...): tgt (T, N, DModel) attends to itself, then to memory (S, N, DModel). Named
// arguments: tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
// memory_is_causal.
template <i64 DModel, i64 NHead = 0, OptionsOf<TransformerOptions> Options = TransformerOptions{},
          class Activation = ReLU, class WeightInit = init::FanInUniform<>>
struct TransformerDecoderLayer {
  static constexpr TransformerOptions O =
      options_alone<TransformerOptions, TransformerDecoderLayer, Options>();
  using T = ctype<O.dtype>;
  module_detail::TransformerAttention<DModel, NHead, O, T, WeightInit> self_attn{.dropout = O.dropout};
  module_detail::TransformerAttention<DModel, NHead, O, T, WeightInit> multihead_attn{.dropout = O.dropout};
  module_detail::TransformerLinear<DModel, O.dim_feedforward, O, T, WeightInit> linear1{};
  Dropout dropout{.p = O.dropout};
  module_detail::TransformerLinear<O.dim_feedforward, DModel, O, T, WeightInit> linear2{};
  module_detail::TransformerNorm<DModel, O, T> norm1{.eps = O.layer_norm_eps};
  module_detail::TransformerNorm<DModel, O, T> norm2{.eps = O.layer_norm_eps};
  module_detail::TransformerNorm<DModel, O, T> norm3{.eps = O.layer_norm_eps};
  Dropout dropout1{.p = O.dropout};
  Dropout dropout2{.p = O.dropout};
  Dropout dropout3{.p = O.dropout};
  Activation activation{};

  WEFT_REFUSED_ONE(TransformerDecoderLayer)
  WEFT_REFUSED_FORWARD
  template <class... A>
  constexpr auto operator()(const auto& tgt, const auto& memory, const A&... keywords) const {
    constexpr bool known =
        module_detail::Keywords<Keyword::tgt_mask, Keyword::tgt_key_padding_mask, Keyword::tgt_is_causal,
                                Keyword::memory_mask, Keyword::memory_key_padding_mask,
                                Keyword::memory_is_causal>::template fit<A...>;
    static_assert(sizeof(WordsFit<known, TransformerDecoderLayer, A...>) > 0);
    const auto seen = to_expr(memory);
    const auto attend = [&](const auto& x) {
      return dropout1(
          module_detail::transformer_attend<Keyword::tgt_mask, Keyword::tgt_key_padding_mask,
                                            Keyword::tgt_is_causal>(self_attn, x, x, keywords...));
    };
    const auto look_back = [&](const auto& x) {
      return dropout2(
          module_detail::transformer_attend<Keyword::memory_mask, Keyword::memory_key_padding_mask,
                                            Keyword::memory_is_causal>(multihead_attn, x, seen, keywords...));
    };
    const auto feed_forward = [&](const auto& x) {
      return dropout3(linear2(dropout(activation(linear1(x)))));
    };
    const auto x = module_detail::residual<O.norm_first>(to_expr(tgt), norm1, attend);
    const auto y = module_detail::residual<O.norm_first>(x, norm2, look_back);
    return module_detail::residual<O.norm_first>(y, norm3, feed_forward);
  }
};

}  // namespace WEFT_NAMESPACE::nn
