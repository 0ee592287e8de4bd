#pragma once
// How a mistake becomes one readable compile error on every compiler.
// Law: a refusal is one sentence, a literal that names the cause and what to write, and one line of types:
// the operation, then the shapes and dtypes that it was given. g++ and clang print both in the line of the
// error,
//
//   error: 'refusals::ShapesBroadcast<AddOp, Shape<4, 8>, Shape<3, 8>>' is unavailable: the shapes do not
//          broadcast: two extents of the same axis must be equal, or one of them 1
//
// and nvcc prints the sentence, then the types, once; the user's line stands in the trail. An operation uses
// one so, returning something plausible, so that no second error follows:
//
//   constexpr bool fits = broadcastable(A::value, B::value);
//   static_assert(sizeof(ShapesBroadcast<fits, Add, A, B>) > 0);
//   if constexpr (!fits) { return a; } else { ... }
//
// A new refusal stands at namespace level in the header of the operation that needs it. What was tried: a
// static_assert in a class template, whose types g++ and clang print in other lines than the sentence; on a
// variable template nvcc prints none; a string as a template argument is printed letter by letter there;
// asserting Cause::value reports twice; a deleted function shows its arguments in g++ alone.
//
// Only the first refusal of a translation unit is said (refused_before), as those behind it are
// mostly its consequences; and what would be made of what was refused is an AfterRefusal.

#include <array>
#include <type_traits>
#include <utility>

#include "weft/core/fixed_string.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// Whether a refusal was said before; the types tell one place that asks from another. A friend that a class
// declares is defined by the first refusal, and only then can its return type be asked for.
struct Refusals {
  friend auto said(Refusals);
};
template <class>
struct Refused {
  friend auto said(Refusals) { return 0; }
};
template <class T, class...>
struct Beside {
  using type = T;
};

}  // namespace detail

template <class... Place>
inline constexpr bool refused_before = requires {
  said(typename detail::Beside<detail::Refusals, Place...>::type{});
};

// Counts as said what the compiler has said in words of its own, of T.
template <bool Said, class... T>
struct SaidByCompiler {};
template <class... T>
requires(!refused_before<T..., void>) struct SaidByCompiler<true, T...>
    : detail::Refused<detail::Beside<void, T...>> {
};

// Numbers that a message shows beside shapes.
template <i64 Value>
struct GivenAxis {};
template <i64 Value>
struct GivenRank {};
template <i64 Value>
struct GivenSize {};
template <i64 Value>
struct WantedSize {};
template <i64 Value>
struct GivenInput {};  // of a function, counted from 0
template <FixedString Name>
struct GivenName {};

// The names that a refusal shows of what was called: types, as strings cost much to compile.
namespace spelled {
struct Conv1d;
struct Conv2d;
struct Conv3d;
struct ConvTranspose1d;
struct ConvTranspose2d;
struct ConvTranspose3d;
struct MaxPool1d;
struct MaxPool2d;
struct MaxPool3d;
struct AvgPool1d;
struct AvgPool2d;
struct AvgPool3d;
struct BatchNorm1d;
struct BatchNorm2d;
struct BatchNorm3d;
struct Linear;
struct MultiheadAttention;
struct Embedding;
struct RNN;
struct GRU;
struct LSTM;
struct abs;
struct adaptive_avg_pool1d;
struct adaptive_avg_pool2d;
struct adaptive_avg_pool3d;
struct adaptive_max_pool1d;
struct adaptive_max_pool2d;
struct adaptive_max_pool3d;
struct add_;
struct amsgrad;
struct apply;
struct arange;
struct argmax;
struct at;
struct avg_pool1d;
struct avg_pool2d;
struct avg_pool3d;
struct backward;
struct batch_first;
struct beta1;
struct beta2;
struct bidirectional;
struct buffers;
struct call;
struct capturable;
struct centered;
struct children;
struct clone;
struct compute;
struct ConstantLR;
struct contiguous;
struct CosineAnnealingLR;
struct CosineAnnealingWarmRestarts;
struct cpu;
struct cuda;
struct CyclicLR;
struct data;
struct detach;
struct device;
struct empty;
struct eval;
struct exp;
struct ExponentialLR;
struct eye;
struct fill;
struct fill_;
struct fit;
struct flatten;
struct foreach;
struct forward;
struct run;
struct full;
struct fused;
struct get;
struct get_lr;
struct hessian;
struct jacfwd;
struct jacrev;
struct set_learning_rate;
struct learning_rate;
struct grad;
struct half;
struct inplace;
struct interpolate;
struct item;
struct jvp;
struct ChainedScheduler;
struct LambdaLR;
struct LinearLR;
struct load;
struct load_state_dict;
struct log;
struct manual_seed;
struct masked_fill;
struct maximize;
struct matmul;
struct max;
struct max_pool1d;
struct max_pool2d;
struct max_pool3d;
struct mean;
struct min;
struct modules;
struct mul_;
struct MultiplicativeLR;
struct MultiStepLR;
struct named_parameters;
struct negative_slope;
struct num_layers;
struct numpy;
struct OneCycleLR;
struct ones;
struct padding_idx;
struct parameters;
struct permute;
struct PolynomialLR;
struct pow;
struct predict;
struct print;
struct rand;
struct randn;
struct register_hook;
struct relu;
struct requires_grad_;
struct reshape;
struct save;
struct SequentialLR;
struct size;
struct sizes;
struct softmax;
struct sqrt;
struct squeeze;
struct state_dict;
struct step;
struct StepLR;
struct sub_;
struct sum;
struct T;
struct t;
struct test;
struct to;
struct to_vector;
struct tensor;
struct from_blob;
struct tolist;
struct train;
struct transpose;
struct type;
struct unsqueeze;
struct update;
struct validate;
struct view;
struct vjp;
struct vmap;
struct zero_;
struct zero_grad;
struct zeros;
}  // namespace spelled

WEFT_REFUSAL(ShapesBroadcast,
             "the shapes do not broadcast: two extents of the same axis must be equal, or one of them 1; "
             "unsqueeze<axis>(x) adds one of 1, mean<1>(x, keepdim) keeps one, matmul(a, b) is the product "
             "of matrices");

WEFT_REFUSAL(ShapesEqual,
             "the shapes differ, and this operation does not broadcast: reshape<...>(x) or expand<...>(x) "
             "one of them");

// Shapes: of the operands of a product, whose contracted axes are meant.
WEFT_REFUSAL(InnerExtentsEqual,
             "the extents of the contracted axes differ: the last axis of a must be the last but one of b in "
             "matmul(a, b), "
             "and the In of Linear<In, Out>; transpose<-2, -1>(b) or flatten<1>(x) may be missing");

WEFT_REFUSAL(ResultHasRoom,
             "the result would have more axes than a tensor may have, 8: reshape operands to fewer");

WEFT_REFUSAL(SizesEqual,
             "the new shape does not hold the same number of elements: its extents must multiply to as many; "
             "reshape names the batch's extent, too, and one may be -1, which takes what is left");

// What: a GivenAxis<i>, then the Shape it should fit in.
WEFT_REFUSAL(AxisInRange,
             "the axis does not exist: it must lie in [-rank, rank), 0 being the first and -1 the last");

// What: a Shape, then the GivenRank<r> it should have.
WEFT_REFUSAL(
    RankIs,
    "the tensor has the wrong number of axes: unsqueeze<axis>(x) adds one, squeeze<axis>(x) takes one away; "
    "matmul(a, b) takes vectors, matrices and batches of them");

WEFT_REFUSAL(DtypesEqual, "the dtypes differ: convert one operand with cast<T>");

WEFT_REFUSAL(DtypeAllowed,
             "the operation is not defined for this dtype: convert the operand with cast<T>(x)");

WEFT_REFUSAL(
    TransformTakesFunction,
    "grad, value_and_grad, vjp, jvp, jacrev, jacfwd, hessian and vmap take the function alone and return "
    "one: write grad(f)(x), by the second argument grad<1>(f)(x, y), vjp(f)(x, cotangent), vmap<0>(f)(x)");

namespace detail {
// Never defined: should a compiler continue without a word, the program does not link.
void refused_while_compiling();
}  // namespace detail

// In place of a function, a trainer or a result that cannot be made: takes every call, and is whatever is
// asked for, so that no second error follows the sentence.
struct AfterElements;
struct AfterRefusal {
  template <class... A>
  constexpr AfterRefusal(A&&...) {
    if (!std::is_constant_evaluated()) detail::refused_while_compiling();
  }

  template <class... A>
  constexpr AfterRefusal operator()(A&&...) const {
    return {};
  }
#define WEFT_MEMBER(name)           \
  template <class... A>             \
  AfterRefusal name(A&&...) const { \
    return {};                      \
  }
  WEFT_MEMBER(step)
  WEFT_MEMBER(evaluate)
  WEFT_MEMBER(into)
  WEFT_MEMBER(load)
  WEFT_MEMBER(save)
  WEFT_MEMBER(set_lr)
  WEFT_MEMBER(seek)
  WEFT_MEMBER(set_seed)
  WEFT_MEMBER(extent)
  WEFT_MEMBER(numpy)
  WEFT_MEMBER(requires_grad_)
  WEFT_MEMBER(zero_)
  WEFT_MEMBER(copy_)
  WEFT_MEMBER(add)
#undef WEFT_MEMBER
  template <FixedString, int = 0>
  AfterRefusal get_probe() const {
    return {};
  }
  template <FixedString>
  AfterRefusal get() const {
    return {};
  }
  template <std::size_t>  // of a structured binding of two
  constexpr AfterRefusal get() const {
    return {};
  }
  AfterRefusal model() const { return {}; }
  AfterRefusal zero_grad() const { return {}; }
  AfterRefusal backward() const { return {}; }
  AfterRefusal train() const { return {}; }
  AfterRefusal eval() const { return {}; }
  AfterRefusal clone() const { return {}; }
  AfterRefusal value() const { return {}; }
  AfterRefusal lr() const { return {}; }
  AfterRefusal steps() const { return {}; }
  AfterRefusal gradient_norm() const { return {}; }
  AfterRefusal text() const { return {}; }
  const char* c_str() const { return ""; }
  AfterElements to_vector() const;
  static constexpr i64 workspace_bytes() { return 0; }
  static constexpr i64 state_bytes() { return 0; }
  static constexpr i64 memory_bytes() { return 0; }
  static constexpr int launches() { return 0; }
  AfterRefusal average() const { return {}; }
  AfterRefusal position() const { return {}; }
  AfterRefusal seed() const { return {}; }
  AfterRefusal batches() const { return {}; }
  AfterRefusal item() const { return {}; }
  AfterRefusal summary() const { return {}; }
  AfterRefusal explain() const { return {}; }
  // Of a parameter, as torch.nn.Module gives it.
  constexpr i64 numel() const { return 0; }
  constexpr i64 dim() const { return 0; }
  AfterRefusal shape() const { return {}; }
  AfterRefusal sizes() const { return {}; }
  AfterRefusal grad() const { return {}; }
  AfterRefusal detach() const { return {}; }
  constexpr AfterRefusal operator[](i64) const { return {}; }
  constexpr const float* data() const { return nullptr; }
  constexpr std::size_t size() const { return 0; }
  constexpr const AfterRefusal* begin() const { return nullptr; }
  constexpr const AfterRefusal* end() const { return nullptr; }
  AfterRefusal read() const { return {}; }
  void reset() const {}
  constexpr operator float() const { return 0; }
  template <class T>
  requires std::is_class_v<T>
  operator T() const;
  // Of torch.return_types: x.max(1).values.
  static const AfterRefusal values, indices;
};

// What the name of a function template is tried with, so that it becomes one of many functions: the refusals
// that take any arguments do not count.
struct NameAlone : AfterRefusal {};

// In place of a vector of a result's elements.
struct AfterElements : AfterRefusal {
  float operator[](std::size_t) const { return 0; }
  const float* begin() const { return nullptr; }
  const float* end() const { return nullptr; }
};
inline AfterElements AfterRefusal::to_vector() const { return {}; }

// In place of a function of several results, whose call is taken apart.
template <int Results>
struct AfterFunction : AfterRefusal {
  template <class... A>
  std::array<AfterRefusal, Results> operator()(A&&...) const {
    return {};
  }
};
// In place of what a loop over names and values reads: for (auto& [name, p] : model.named_parameters()).
struct AfterPairs : AfterRefusal {
  std::pair<const char*, AfterRefusal>* begin() const { return nullptr; }
  std::pair<const char*, AfterRefusal>* end() const { return nullptr; }
};

// In the place of a shape that was left out.
struct Unshaped {};
WEFT_REFUSAL(
    ShapeIsInType,
    "a tensor has its shape in its type: write Tensor<f32, Shape<2, 3>> x, nn::Param<f32, Shape<2, 3>> w, "
    "in<f32, 2, 3>");

// Whether A stands for what was refused, or is a class that was. (A class that is only declared is neither,
// and has no bases to ask for.)
template <class A>
inline constexpr bool is_after_refusal = false;
template <class A>
requires(sizeof(A) > 0) inline constexpr bool is_after_refusal<A> = std::is_base_of_v<AfterRefusal, A>;

namespace detail {
// A refusal, and what its place returns: the operand, or anything.
template <class Refusal, class E>
constexpr const E& misspelt(const E& e) {
  static_assert(sizeof(Refusal) > 0);
  return e;
}
template <class Refusal>
constexpr AfterRefusal misspelt() {
  static_assert(sizeof(Refusal) > 0);
  return {};
}
}  // namespace detail

// The options of a layer as a template argument, or whatever else stands there. (nvcc writes a constant of a
// class for the host's compiler as its members in braces, which no conversion takes.)
#if defined(__CUDACC__)
template <class Options>
using OptionsOf = Options;
#else
template <class Options>
struct OptionsOf {
  Options options{};
  bool given = true;
  constexpr OptionsOf(Options o) : options(o) {}
  template <class Other>
  constexpr OptionsOf(Other) : given(false) {}
};
#endif
WEFT_REFUSAL(
    OptionsAreOne,
    "sizes, and one window for all axes or PerAxis{3, 2}, are followed by one options struct: write "
    "Conv2d<3, "
    "8, 3, ConvOptions{.stride = 2, .padding = 1}>, MaxPool2d<2, PoolOptions{.stride = 2}>, BatchNorm2d<8, "
    "BatchNormOptions{.affine = false}>, LSTM<8, 16, Recurrent{.num_layers = 2}>, "
    "TransformerEncoderLayer<64, "
    "8, TransformerOptions{.dim_feedforward = 128}>, with nn:: before each");
// They, or the sentence, where they are of another kind or not the last argument. What: a layer. (g++ hands a
// template's argument on to an alias as it is.)
#if defined(__CUDACC__)
template <class Options, class What, Options Given, auto... More>
constexpr Options options_alone() {
  static_assert(sizeof(OptionsAreOne<sizeof...(More) == 0, What>) > 0);
  return Given;
}
#else
template <class Options, class What, auto Given, auto... More>
constexpr Options options_alone() {
  constexpr bool plain =
      std::is_same_v<const Options, decltype(Given)> || std::is_same_v<Options, decltype(Given)>;
  if constexpr (plain && sizeof...(More) == 0) {
    return Given;
  } else if constexpr (requires { Given.given; }) {
    static_assert(sizeof(OptionsAreOne < Given.given && sizeof...(More) == 0, What >) > 0);
    return Given.options;
  } else {
    static_assert(sizeof(OptionsAreOne<sizeof(What*) == 0, What>) > 0);
    return {};
  }
}
#endif

}  // namespace WEFT_NAMESPACE

template <>
struct std::tuple_size<weft::AfterRefusal> : std::integral_constant<std::size_t, 2> {};
template <std::size_t K>
struct std::tuple_element<K, weft::AfterRefusal> {
  using type = weft::AfterRefusal;
};
