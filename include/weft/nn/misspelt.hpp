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

// WEFT_MEANT(Name, (Layer<arguments>), "what to write", parameters): of a layer with template arguments; the
// sentence is said where one is made.
#define WEFT_BARE(...) __VA_ARGS__
#define WEFT_MEANT(Name, layer, meant, ...)                                    \
  WEFT_REFUSAL(Name##IsMisspelt, "the layer is nn::" meant);                   \
  template <__VA_ARGS__>                                                       \
  struct Name : WEFT_BARE layer {                                              \
    static_assert(sizeof(Name##IsMisspelt<sizeof(WEFT_BARE layer) == 0>) > 0); \
  };
WEFT_MEANT(Dense, (Linear<In, Out, Bias>), "Linear<in, out>", i64 In, i64 Out, bool Bias = true)
WEFT_MEANT(Conv1D, (Conv1d<In, Out, Window, Options>), "Conv1d<in, out, window>", i64 In, i64 Out,
           PerAxis Window, ConvOptions Options = ConvOptions{})
WEFT_MEANT(Conv2D, (Conv2d<In, Out, Window, Options>), "Conv2d<in, out, window>", i64 In, i64 Out,
           PerAxis Window, ConvOptions Options = ConvOptions{})
WEFT_MEANT(Conv3D, (Conv3d<In, Out, Window, Options>), "Conv3d<in, out, window>", i64 In, i64 Out,
           PerAxis Window, ConvOptions Options = ConvOptions{})
WEFT_MEANT(MaxPool2D, (MaxPool2d<Window, Options>), "MaxPool2d<window>", PerAxis Window,
           PoolOptions Options = PoolOptions{})
WEFT_MEANT(AvgPool2D, (AvgPool2d<Window, Options>), "AvgPool2d<window>", PerAxis Window,
           PoolOptions Options = PoolOptions{})
WEFT_MEANT(BatchNorm1D, (BatchNorm1d<C, Options>), "BatchNorm1d<features>", i64 C,
           BatchNormOptions Options = BatchNormOptions{})
WEFT_MEANT(BatchNorm2D, (BatchNorm2d<C, Options>), "BatchNorm2d<features>", i64 C,
           BatchNormOptions Options = BatchNormOptions{})
WEFT_MEANT(Layernorm, (LayerNorm<D...>), "LayerNorm<features>", i64... D)
WEFT_MEANT(RmsNorm, (RMSNorm<D...>), "RMSNorm<features>", i64... D)
WEFT_MEANT(MultiHeadAttention, (MultiheadAttention<E, H, Options>), "MultiheadAttention<features, heads>",
           i64 E, i64 H, MultiheadOptions Options = MultiheadOptions{})
WEFT_MEANT(Lstm, (LSTM<In, Hidden, O>), "LSTM<in, hidden>", i64 In, i64 Hidden, Recurrent O = Recurrent{})
WEFT_MEANT(Gru, (GRU<In, Hidden, O>), "GRU<in, hidden>", i64 In, i64 Hidden, Recurrent O = Recurrent{})
WEFT_MEANT(Embeddings, (Embedding<Count, Size>), "Embedding<count, features>", i64 Count, i64 Size)
#undef WEFT_MEANT
#undef WEFT_BARE

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
WEFT_REFUSAL(ModulesAreMembers,
             "modules and parameters by name are the members of a struct, and parameters by number "
             "std::array<nn::Param<f32, Shape<4>>, 3>");
#define WEFT_LIST(Name)                                                \
  template <class First, auto...>                                      \
  struct Name : AfterRefusal {                                         \
    static_assert(sizeof(ModulesAreMembers<sizeof(First*) == 0>) > 0); \
  };
WEFT_LIST(ModuleDict)
WEFT_LIST(ParameterDict)
WEFT_LIST(ParameterList)
#undef WEFT_LIST
// Layers that would take their inputs' sizes from the first batch.
#define WEFT_LAZY(Name)    \
  template <auto... Sizes> \
  struct Name : WithoutSizes<spelled::Linear, std::integral_constant<decltype(Sizes), Sizes>...> {};
WEFT_LAZY(LazyLinear)
WEFT_LAZY(LazyConv1d)
WEFT_LAZY(LazyConv2d)
WEFT_LAZY(LazyConv3d)
WEFT_LAZY(LazyConvTranspose1d)
WEFT_LAZY(LazyConvTranspose2d)
WEFT_LAZY(LazyConvTranspose3d)
WEFT_LAZY(LazyBatchNorm1d)
WEFT_LAZY(LazyBatchNorm2d)
WEFT_LAZY(LazyBatchNorm3d)
#undef WEFT_LAZY
WEFT_REFUSAL(UpsampleIsOne,
             "resizing is one layer: nn::Upsample<nn::InterpolateOptions{.scale_factor = 2, .mode = "
             "nn::Interpolation::bilinear}>");
#define WEFT_UPSAMPLING(Name)                                          \
  template <auto... Sizes>                                             \
  struct Name : AfterRefusal {                                         \
    static_assert(sizeof(UpsampleIsOne<(sizeof...(Sizes) > 99)>) > 0); \
  };
WEFT_UPSAMPLING(UpsamplingNearest2d)
WEFT_UPSAMPLING(UpsamplingBilinear2d)
#undef WEFT_UPSAMPLING

}  // namespace WEFT_NAMESPACE::nn
