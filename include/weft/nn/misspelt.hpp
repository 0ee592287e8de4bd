#pragma once
// Layers by the names that others have for them: one sentence says which name is meant. What is named so is
// the layer all the same, so that no second error follows.

#include <array>

#include "weft/nn/activation.hpp"
#include "weft/nn/attention.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/conv.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/norm.hpp"
#include "weft/nn/param.hpp"
#include "weft/nn/pool.hpp"
#include "weft/nn/recurrent.hpp"

namespace WEFT_NAMESPACE::nn {

// (nvcc says of these that there is no such name: it has no such attribute.)
#ifndef __CUDACC__
#define WEFT_MEANT(layer, function) \
  __attribute__((unavailable("the layer is nn::" #layer ", and " #function "(x) the function"))) = layer
using Relu WEFT_MEANT(ReLU, relu);
using Relu6 WEFT_MEANT(ReLU6, relu6);
using Gelu WEFT_MEANT(GELU, gelu);
using Silu WEFT_MEANT(SiLU, silu);
using Swish WEFT_MEANT(SiLU, silu);
using Elu WEFT_MEANT(ELU, elu);
using Selu WEFT_MEANT(SELU, selu);
using LeakyRelu WEFT_MEANT(LeakyReLU, leaky_relu);
#undef WEFT_MEANT
#endif

// Of layers with template arguments; the sentence is said where one is made.
WEFT_REFUSAL(DenseIsMisspelt, "the layer is nn::Linear<in, out>");
template <i64 In, i64 Out, bool Bias = true>
struct Dense : Linear<In, Out, Bias> {
  static_assert(sizeof(DenseIsMisspelt<sizeof(Linear<In, Out, Bias>) == 0>) > 0);
};
WEFT_REFUSAL(Conv1DIsMisspelt, "the layer is nn::Conv1d<in, out, window>");
template <i64 In, i64 Out, PerAxis Window, ConvOptions Options = ConvOptions{}>
struct Conv1D : Conv1d<In, Out, Window, Options> {
  static_assert(sizeof(Conv1DIsMisspelt<sizeof(Conv1d<In, Out, Window, Options>) == 0>) > 0);
};
WEFT_REFUSAL(Conv2DIsMisspelt, "the layer is nn::Conv2d<in, out, window>");
template <i64 In, i64 Out, PerAxis Window, ConvOptions Options = ConvOptions{}>
struct Conv2D : Conv2d<In, Out, Window, Options> {
  static_assert(sizeof(Conv2DIsMisspelt<sizeof(Conv2d<In, Out, Window, Options>) == 0>) > 0);
};
WEFT_REFUSAL(Conv3DIsMisspelt, "the layer is nn::Conv3d<in, out, window>");
template <i64 In, i64 Out, PerAxis Window, ConvOptions Options = ConvOptions{}>
struct Conv3D : Conv3d<In, Out, Window, Options> {
  static_assert(sizeof(Conv3DIsMisspelt<sizeof(Conv3d<In, Out, Window, Options>) == 0>) > 0);
};
WEFT_REFUSAL(MaxPool2DIsMisspelt, "the layer is nn::MaxPool2d<window>");
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
struct MaxPool2D : MaxPool2d<Window, Options> {
  static_assert(sizeof(MaxPool2DIsMisspelt<sizeof(MaxPool2d<Window, Options>) == 0>) > 0);
};
WEFT_REFUSAL(AvgPool2DIsMisspelt, "the layer is nn::AvgPool2d<window>");
template <PerAxis Window, PoolOptions Options = PoolOptions{}>
struct AvgPool2D : AvgPool2d<Window, Options> {
  static_assert(sizeof(AvgPool2DIsMisspelt<sizeof(AvgPool2d<Window, Options>) == 0>) > 0);
};
WEFT_REFUSAL(BatchNorm1DIsMisspelt, "the layer is nn::BatchNorm1d<features>");
template <i64 C, BatchNormOptions Options = BatchNormOptions{}>
struct BatchNorm1D : BatchNorm1d<C, Options> {
  static_assert(sizeof(BatchNorm1DIsMisspelt<sizeof(BatchNorm1d<C, Options>) == 0>) > 0);
};
WEFT_REFUSAL(BatchNorm2DIsMisspelt, "the layer is nn::BatchNorm2d<features>");
template <i64 C, BatchNormOptions Options = BatchNormOptions{}>
struct BatchNorm2D : BatchNorm2d<C, Options> {
  static_assert(sizeof(BatchNorm2DIsMisspelt<sizeof(BatchNorm2d<C, Options>) == 0>) > 0);
};
WEFT_REFUSAL(LayernormIsMisspelt, "the layer is nn::LayerNorm<features>");
template <i64... D>
struct Layernorm : LayerNorm<D...> {
  static_assert(sizeof(LayernormIsMisspelt<sizeof(LayerNorm<D...>) == 0>) > 0);
};
WEFT_REFUSAL(RmsNormIsMisspelt, "the layer is nn::RMSNorm<features>");
template <i64... D>
struct RmsNorm : RMSNorm<D...> {
  static_assert(sizeof(RmsNormIsMisspelt<sizeof(RMSNorm<D...>) == 0>) > 0);
};
WEFT_REFUSAL(MultiHeadAttentionIsMisspelt, "the layer is nn::MultiheadAttention<features, heads>");
template <i64 E, i64 H, MultiheadOptions Options = MultiheadOptions{}>
struct MultiHeadAttention : MultiheadAttention<E, H, Options> {
  static_assert(sizeof(MultiHeadAttentionIsMisspelt<sizeof(MultiheadAttention<E, H, Options>) == 0>) > 0);
};
WEFT_REFUSAL(LstmIsMisspelt, "the layer is nn::LSTM<in, hidden>");
template <i64 In, i64 Hidden, Recurrent O = Recurrent{}>
struct Lstm : LSTM<In, Hidden, O> {
  static_assert(sizeof(LstmIsMisspelt<sizeof(LSTM<In, Hidden, O>) == 0>) > 0);
};
WEFT_REFUSAL(GruIsMisspelt, "the layer is nn::GRU<in, hidden>");
template <i64 In, i64 Hidden, Recurrent O = Recurrent{}>
struct Gru : GRU<In, Hidden, O> {
  static_assert(sizeof(GruIsMisspelt<sizeof(GRU<In, Hidden, O>) == 0>) > 0);
};
WEFT_REFUSAL(EmbeddingsIsMisspelt, "the layer is nn::Embedding<count, features>");
template <i64 Count, i64 Size>
struct Embeddings : Embedding<Count, Size> {
  static_assert(sizeof(EmbeddingsIsMisspelt<sizeof(Embedding<Count, Size>) == 0>) > 0);
};

// What has another form here.
WEFT_REFUSAL(ParameterIsParam,
             "a parameter is nn::Param<f32, Shape<4, 8>>, with an initialiser as a third argument");
template <class T, class S>
struct Parameter : Param<T, S> {
  static_assert(sizeof(ParameterIsParam<sizeof(T) == 0>) > 0);
};
WEFT_REFUSAL(
    ModulesAreArray,
    "a list of modules is std::array<Block, 3>, whose parameters are named h.0., h.1.; blocks one after "
    "another are nn::Stack<Block, 12>, and others nn::Sequential<A, B>");
template <class Block, auto N = 1>
struct ModuleList : std::array<Block, static_cast<std::size_t>(N)> {
  static_assert(sizeof(ModulesAreArray<sizeof(Block) == 0>) > 0);
};

}  // namespace WEFT_NAMESPACE::nn
