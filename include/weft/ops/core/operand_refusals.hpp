#pragma once
// What is said of an operand that is no value: a tuple, a container, a layer, a model's parameters.

#include <tuple>
#include <utility>

#include "weft/ops/core/handles.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    OperandsAreTensors,
    "an operand is neither an expression, a parameter, a tensor nor a number: words, axes and sizes are "
    "template arguments, as in sum<1>(x), mse_loss<reduction::sum>(x, y), pad<PaddingMode::reflect, 1, "
    "1>(x)");
WEFT_REFUSAL(TupleIsTaken,
             "an operand is a tuple: take it apart first: auto [y, state] = lstm(x), auto [values, places] = "
             "topk<2>(x)");
WEFT_REFUSAL(ParametersAreVector,
             "an operand is a model or a tuple, and no value: all parameters of a model are one vector, "
             "norm<>(nn::parameters_to_vector(m)), one of them is norm<>(m.fc1.weight), what a layer returns "
             "norm<>(fc(x)), and a tuple is taken apart, auto [y, state] = lstm(x)");
WEFT_REFUSAL(ContainerIsTaken,
             "an operand is a container: values are arguments one by one, cat<0>(a, b), stack<0>(rows[0], "
             "rows[1]); of a std::array write std::apply([](auto... v) { return stack<0>(v...); }, values)");
WEFT_REFUSAL(
    LayerIsCalled,
    "an operand is a layer or another object, which is no value: call it with one, and go on with "
    "what it returns, as in fc1(x) + fc2(x), softmax<1>(fc(x)) and fc2(nn::ReLU{}(x)); options stand in "
    "<>, as in conv2d<ConvOptions{.stride = 2}>(x, w)");
WEFT_REFUSAL(OperandsFit,
             "the operation does not take so many operands, or not of these kinds: where(condition, a, b) "
             "takes three, clamp(x, low, high) three, relu(x) one (its line is in docs/operations.md; there "
             "is no inplace and no training argument); a word such as a reduction is a template argument, "
             "mse_loss<reduction::sum>(x, y)");
template <class A>
inline constexpr bool is_tuple_like = false;
template <class... A>
inline constexpr bool is_tuple_like<std::tuple<A...>> = true;
template <class A, class B>
inline constexpr bool is_tuple_like<std::pair<A, B>> = true;

template <class A>
concept HoldsValues = requires {
  requires is_expr<typename A::value_type>;
};

// A std::vector of run-time tensors.
template <class A>
concept HoldsTensors = requires {
  requires TensorLike<typename A::value_type>;
};

// A layer, or another object that holds no values of its own.
template <class A>
concept LayerLike = std::is_aggregate_v<A> && std::is_class_v<A> && !Operand<A> &&
                    !std::is_same_v<A, TransposedMember> && !std::is_same_v<A, GradientMember> && !requires {
  typename A::value_type;
};

}  // namespace WEFT_NAMESPACE
