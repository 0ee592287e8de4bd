#pragma once
// What PyTorch's users reach for in torch.nn and do not find: the base class, losses as modules,
// nn.functional; and what is said of a layer without its sizes.

#include <limits>
#include <type_traits>

#include "weft/core/refused_option.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::spelled {
struct approximate;
struct elementwise_affine;
struct padding;
struct rate;
struct stride;
}  // namespace WEFT_NAMESPACE::spelled

namespace WEFT_NAMESPACE::nn {

// The default of a size that a layer cannot do without.
inline constexpr i64 not_given = std::numeric_limits<i64>::min();
WEFT_REFUSAL(
    SizesAreGiven,
    "a layer's sizes are template arguments, and one is missing: nn::Linear<in, out>, nn::Conv2d<in, out, "
    "window>, nn::Embedding<count, size>, nn::LSTM<in, hidden>, nn::GroupNorm<groups, channels>, "
    "nn::MultiheadAttention<features, heads>, nn::Stack<Block, count>");
template <class... Given>
struct WithoutSizes : AfterRefusal {
  using AfterRefusal::AfterRefusal;
  static_assert(sizeof(SizesAreGiven<(sizeof...(Given) > 99), Given...>) > 0);
};

// Refused: a layer made as in PyTorch, nn::Embedding(10, 3).
#define WEFT_REFUSED_SIZES(Layer, ...)                                                \
  template <class... Size>                                                            \
  requires(sizeof...(Size) > 0 && (std::is_arithmetic_v<Size> && ...)) Layer(Size...) \
  ->Layer<__VA_ARGS__>;

WEFT_REFUSAL(
    LayerTakesMore,
    "the layer takes more than one value: decoder(tgt, memory), transformer(src, tgt), bilinear(x1, x2), "
    "similarity(x1, x2), unpool(y, places) of auto [y, places] = pool(x, return_indices)");
// In a layer of two values: a call with one is refused.
#define WEFT_REFUSED_ONE(Layer)                                       \
  template <class X>                                                  \
  constexpr auto operator()(const X& x) const {                       \
    static_assert(sizeof(LayerTakesMore<sizeof(X) == 0, Layer>) > 0); \
    return ::weft::detail::first_expr(x);                             \
  }

WEFT_REFUSAL(
    ForwardIsCall,
    "a layer is called as a function: write fc(x) in place of fc.forward(x); a model's or a block's own "
    "operator() is what PyTorch's forward is");
WEFT_REFUSAL(LayerIsNoPointer,
             "a layer is a member of the model, and no pointer: write fc(x) in place of fc->forward(x), and "
             "fc.weight in place of fc->weight");
WEFT_REFUSAL(
    LayerTakesOne,
    "the layer takes one value and nothing else: write fc(x), bn(x); trainers train and compile evaluates, "
    "unless it is given mode::train, and settings are the layer's template arguments or members");
WEFT_REFUSAL(NothingIsInplace,
             "a layer gives a value of its own, and where its memory lies is the compiler's: leave inplace "
             "out, nn::ReLU relu");
WEFT_REFUSAL(
    LayerIsMember,
    "a layer has no methods of PyTorch's modules: one that is not trained is nn::Frozen<nn::Linear<8, 4>> "
    "fc, mode and device are arguments of make_trainer and compile, and the values of all are a Model's, "
    "model.get<\"fc.weight\">(), model.save(path)");
// In a layer: what PyTorch calls its operator().
#define WEFT_REFUSED_METHOD(name)                                         \
  WEFT_REFUSED_MEMBER(name, AfterRefusal{}, LayerIsMember, spelled::name, \
                      std::remove_cvref_t<decltype(*this)>)
#define WEFT_REFUSED_METHODS          \
  WEFT_REFUSED_METHOD(requires_grad_) \
  WEFT_REFUSED_METHOD(train)          \
  WEFT_REFUSED_METHOD(eval)           \
  WEFT_REFUSED_METHOD(to)             \
  WEFT_REFUSED_METHOD(parameters)
#define WEFT_REFUSED_FORWARD                                                                           \
  WEFT_REFUSED_METHODS                                                                                 \
  template <class... X>                                                                                \
  constexpr auto forward(const X&... x) const {                                                        \
    static_assert(sizeof(ForwardIsCall<(sizeof...(X) > 99), X...>) > 0);                               \
    return (*this)(x...);                                                                              \
  }                                                                                                    \
  template <class X = int>                                                                             \
  constexpr auto operator->() const {                                                                  \
    static_assert(sizeof(LayerIsNoPointer<sizeof(X) == 0, std::remove_cvref_t<decltype(*this)>>) > 0); \
    return this;                                                                                       \
  }
// The same in one that is called with one value alone.
#define WEFT_REFUSED_CALLS                                                                                   \
  WEFT_REFUSED_FORWARD                                                                                       \
  template <class X, class Y, class... More>                                                                 \
  constexpr auto operator()(const X& x, const Y&, const More&...) const {                                    \
    static_assert(                                                                                           \
        sizeof(LayerTakesOne<(sizeof...(More) > 99), std::remove_cvref_t<decltype(*this)>, X, Y, More...>) > \
        0);                                                                                                  \
    return (*this)(x);                                                                                       \
  }
// A member that a layer has not. nvcc names members by their addresses (core/field.hpp), of which one that is
// empty has another's: there the words are the compiler's.
#if defined(__CUDACC__)
#define WEFT_REFUSED_LAYER_OPTION(name, Refusal, ...)
#else
#define WEFT_REFUSED_LAYER_OPTION(name, Refusal, ...) WEFT_REFUSED_OPTION(name, Refusal, __VA_ARGS__)
#endif
#define WEFT_NO_INPLACE WEFT_REFUSED_LAYER_OPTION(inplace, NothingIsInplace, void)
WEFT_REFUSAL(StrideIsArgument,
             "stride and padding are the layer's template arguments: write nn::AvgPool2d<2, "
             "nn::PoolOptions{.stride = 1}> pool, "
             "nn::Conv2d<3, 8, 3, nn::ConvOptions{.stride = 2, .padding = 1}> conv");
#define WEFT_NO_STRIDE                                      \
  WEFT_REFUSED_LAYER_OPTION(stride, StrideIsArgument, void) \
  WEFT_REFUSED_LAYER_OPTION(padding, StrideIsArgument, void)

// Two layers, refused; a layer and a value are (pointwise.hpp).
#define WEFT_OPERATOR(sign)                                                                 \
  template <class A, class B>                                                               \
  requires(LayerLike<A> && LayerLike<B>) constexpr auto operator sign(const A&, const B&) { \
    static_assert(sizeof(LayerIsCalled<sizeof(A) == 0, A, B>) > 0);                         \
    return AfterRefusal{};                                                                  \
  }
WEFT_OPERATOR(+)
WEFT_OPERATOR(-)
WEFT_OPERATOR(*)
WEFT_OPERATOR(/)
#undef WEFT_OPERATOR

// For a model that derives from it: field.hpp says that a model has no base.
struct Module {};

WEFT_REFUSAL(
    LossIsFunction,
    "losses are functions: write cross_entropy(logits, labels), mse_loss(x, y), bce_with_logits(x, y), "
    "with reduction and options as template arguments or in braces");
// (A member of a model is made without arguments, and not told of there: nn::plain() does.)
#define WEFT_LOSS(name)                                                   \
  struct name {                                                           \
    template <bool Fits>                                                  \
    using weft_refused_member = LossIsFunction<Fits, name, void>;         \
    template <int Given = 0>                                              \
    constexpr name() {                                                    \
      static_assert(sizeof(LossIsFunction<Given != 0, name>) > 0);        \
    }                                                                     \
    template <class First, class... A>                                    \
    constexpr explicit name(const First&, const A&...) {                  \
      static_assert(sizeof(LossIsFunction<sizeof...(A) == 9, name>) > 0); \
    }                                                                     \
    template <class... A>                                                 \
    constexpr auto operator()(const A&...) const {                        \
      static_assert(sizeof(LossIsFunction<sizeof...(A) == 9, name>) > 0); \
      return AfterRefusal{};                                              \
    }                                                                     \
  };
WEFT_LOSS(CrossEntropyLoss)
WEFT_LOSS(NLLLoss)
WEFT_LOSS(MSELoss)
WEFT_LOSS(L1Loss)
WEFT_LOSS(SmoothL1Loss)
WEFT_LOSS(HuberLoss)
WEFT_LOSS(BCELoss)
WEFT_LOSS(BCEWithLogitsLoss)
WEFT_LOSS(KLDivLoss)
WEFT_LOSS(CTCLoss)
WEFT_LOSS(CosineEmbeddingLoss)
WEFT_LOSS(GaussianNLLLoss)
WEFT_LOSS(HingeEmbeddingLoss)
WEFT_LOSS(MarginRankingLoss)
WEFT_LOSS(MultiLabelMarginLoss)
WEFT_LOSS(MultiLabelSoftMarginLoss)
WEFT_LOSS(MultiMarginLoss)
WEFT_LOSS(PoissonNLLLoss)
WEFT_LOSS(SoftMarginLoss)
WEFT_LOSS(TripletMarginLoss)
WEFT_LOSS(TripletMarginWithDistanceLoss)
#undef WEFT_LOSS

// nn::functional::relu(x) is relu(x).
namespace functional {
using namespace ::weft;
}

}  // namespace WEFT_NAMESPACE::nn

namespace WEFT_NAMESPACE::nn::init {

WEFT_REFUSAL(
    InitIsApplied,
    "an initialiser is a type: of a parameter, nn::Param<f32, Shape<2, 3>, nn::init::XavierUniform<>>, or "
    "for "
    "those of a model, apply<nn::init::XavierUniform<>>(model, [](std::string_view name, const Dims&) { "
    "return name == \"fc1.weight\"; })");
#define WEFT_INIT(name)                                          \
  template <class X, class... A>                                 \
  constexpr auto name(const X& x, const A&...) {                 \
    static_assert(sizeof(InitIsApplied<sizeof(X) == 0, X>) > 0); \
    return x;                                                    \
  }
WEFT_INIT(xavier_uniform_)
WEFT_INIT(xavier_normal_)
WEFT_INIT(kaiming_uniform_)
WEFT_INIT(kaiming_normal_)
WEFT_INIT(trunc_normal_)
WEFT_INIT(orthogonal_)
WEFT_INIT(uniform_)
WEFT_INIT(normal_)
WEFT_INIT(constant_)
WEFT_INIT(dirac_)
WEFT_INIT(eye_)
WEFT_INIT(sparse_)
WEFT_INIT(zeros_)
WEFT_INIT(ones_)
#undef WEFT_INIT

}  // namespace WEFT_NAMESPACE::nn::init
