// A program that says `using namespace weft` may have types of its own by the names that models and programs
// commonly use: weft's names for its operations stay out of their way.
#include <type_traits>
#include <weft/data.hpp>
#include <weft/nn.hpp>
#include <weft/ops.hpp>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

constexpr bool refused() { return true; }
static_assert(refused());

// A function beside weft::check; clang refuses one that is no template (core/check.hpp).
#if !defined(__clang__) && !defined(__CUDACC__)
constexpr bool check(int x) { return x > 0; }
static_assert(check(1) && !check(0));
#endif

struct Norm {
  nn::LayerNorm<8> norm{};
  constexpr auto operator()(auto x) const { return norm(x); }
};
struct Attention {
  nn::Linear<8, 8> proj{};
  constexpr auto operator()(auto x) const { return proj(x); }
};
struct Block {
  Norm norm{};
  Attention attn{};
  constexpr auto operator()(auto x) const { return x + attn(norm(x)); }
};
struct Loss {
  constexpr auto operator()(const auto& model, auto x, auto y) const { return mse_loss(model(x), y); }
};
struct Embedding {};
struct Constant {};
struct Beside {};
struct Refused {};
struct Given {};
struct Linear {};
struct Conv {};
struct Flatten {};
struct Softmax {};
struct Relu {};
struct Gelu {};
struct Pad {};
struct Stack {};
struct Encoder {};
struct Decoder {};
struct Layer {};
struct Head {};
struct Gate {};
struct Cell {};
struct Sampler {};
struct Batch {};
struct Dataset {};
struct Loader {};
struct Config {};
struct Options {};
struct Args {};
struct State {};
struct Policy {};
struct Value {};
struct Node {};
struct Graph {};
struct Parameter {};
struct Buffer {};
struct Param {};
struct Module {};
struct Sequential {};
struct Mlp {};
struct Gpt2 {};
struct Gpt {};
struct Bert {};
struct Vit {};
struct ResNet {};
struct Transformer {};
struct RotaryEmbedding {};
struct Rope {};
struct Scale {};
struct Index {};
struct Token {};
struct Sample {};
struct Image {};
struct Label {};
struct Metric {};
struct Accuracy {};
struct Unary {};
struct Binary {};
struct Cross {};
struct Trace {};
struct Custom {};
struct Optimizer {};
struct Schedule {};
struct Logger {};
struct Progress {};
struct Timer {};
struct Vocabulary {};
struct Tokenizer {};
struct Backbone {};
struct Residual {};
struct Bias {};
struct Dropout {};
struct Mean {};
struct Sigmoid {};
struct Gaussian {};
struct Noise {};
struct Generator {};
struct Discriminator {};
struct Actor {};
struct Critic {};
struct Lstm {};
struct Rnn {};
struct Gru {};
struct Forward {};
struct Backward {};
struct Step {};
struct Plan {};
struct Kernel {};
struct Program {};
struct Event {};
struct Range {};
struct Order {};
struct Size {};
struct Rank {};
struct Gradient {};
struct Unique {};
struct Roll {};
struct Cast {};
struct Matmul {};
struct Where {};
struct Transpose {};
struct Expand {};
struct Narrow {};
struct Gather {};
struct Scatter {};
struct Scan {};
struct Reduce {};
struct Permute {};
struct Reshape {};
struct CrossEntropy {};
struct LogSoftmax {};

template <class... Names>
constexpr bool all_empty = (std::is_empty_v<Names> && ...);
static_assert(
    all_empty<Embedding, Linear, Conv, Flatten, Softmax, Relu, Gelu, Pad, Stack, Encoder, Decoder, Layer,
              Head, Gate, Cell, Sampler, Batch, Dataset, Loader, Config, Options, Args, State, Policy, Value,
              Node, Graph, Parameter, Buffer, Param, Module, Sequential, Mlp, Gpt2, Gpt, Bert, Vit, ResNet,
              Transformer, RotaryEmbedding, Rope, Scale, Index, Token, Sample, Image, Label, Metric, Accuracy,
              Unary, Binary, Cross, Trace, Custom, Optimizer, Schedule, Logger, Progress, Timer, Vocabulary,
              Tokenizer, Backbone, Residual, Bias, Dropout, Mean, Sigmoid, Gaussian, Noise, Generator,
              Discriminator, Actor, Critic, Lstm, Rnn, Gru, Forward, Backward, Step, Plan, Kernel, Program,
              Event, Range, Order, Size, Rank, Gradient, Unique, Roll, Cast, Matmul, Where, Transpose, Expand,
              Narrow, Gather, Scatter, Scan, Reduce, Permute, Reshape, CrossEntropy, LogSoftmax>);

using Training = train::StepSource<Block, Loss, train::Options<optim::SGD>, true, Input<f32, Shape<4, 8>>,
                                   Input<f32, Shape<4, 8>>>;
static_assert(Training::unreached() == -1);
