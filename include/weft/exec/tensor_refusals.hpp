#pragma once
// What is said to who uses a tensor as it cannot be used: by PyTorch's members, of another shape or dtype.

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE::exec {

WEFT_REFUSAL(TensorTakesElements,
             "Tensor: it is made of its elements in braces, a std::vector or a pointer to them; for one "
             "number everywhere write Tensor<...>::full(number)");

WEFT_REFUSAL(
    TensorIndexFits,
    "a tensor takes one integer index an axis: write t(1, 2) for t[1][2]; t[i] is the i-th element in "
    "row-major order");
WEFT_REFUSAL(ItemIsOne,
             "item() is for tensors of one element: write t(1, 2), t[5] or to_vector() for others");
WEFT_REFUSAL(
    TensorOperation,
    "an operation is a function, run when its result is assigned to a tensor: write Tensor<f32, Shape<>> s = "
    "sum<>(t), Tensor<f32, Shape<3, 2>> u = reshape<3, 2>(t)");
WEFT_REFUSAL(TensorIsRead,
             "the elements of a tensor are t(1, 2), t[5], t.data() and t.to_vector(), and "
             "std::cout << t prints them");
WEFT_REFUSAL(
    TensorIsFilled,
    "a tensor that holds one number everywhere is made anew: t = Tensor<f32, Shape<2, 3>>::full(1); a "
    "parameter is written: model.get<\"fc.bias\">() = 1.0f");
WEFT_REFUSAL(
    TensorHasDevice,
    "the device of a tensor is in its type: write Tensor<f32, Shape<2, 3>, Cuda> u = t; another dtype: "
    "Tensor<f16, Shape<2, 3>> u = cast<f16>(t)");
WEFT_REFUSAL(
    TensorHasNoGradient,
    "a tensor has no gradient: make_trainer differentiates a loss, and grad(f)(x) in a compiled function is "
    "the gradient of any");
WEFT_REFUSAL(
    TensorKeepsType,
    "a tensor is made of one of its own dtype and shape: write auto y = f(x), or reshape and cast the "
    "other: Tensor<f32, Shape<3, 2>> u = reshape<3, 2>(t)");
WEFT_REFUSAL(ResultsAreSeveral,
             "the function has several results: take them apart, auto [values, places] = topk<2>(x), or "
             "auto [y, h] = f(x)");
WEFT_REFUSAL(
    ViewIsOfMemory,
    "a view is made of a pointer to elements of its dtype, TensorView<f32, Shape<2, 3>> v(t.data()), or is "
    "t.view(), of t's own shape; a model's memory is written by model.get<\"fc.bias\">() = values");
WEFT_REFUSAL(
    TensorIsTraced,
    "a traced value becomes a tensor when the function returns it: write auto for its type, and auto x for a "
    "parameter");
WEFT_REFUSAL(
    ElementsKeepDtype,
    "the elements have another dtype than the tensor: give it values of its own, or make a tensor of "
    "theirs and convert that: Tensor<f32, Shape<3>> y = cast<f32>(x)");
WEFT_REFUSAL(TensorIsCreated,
             "a tensor is created by a function: Tensor<f32, Shape<2, 3>> x = ones<f32, 2, 3>(), or arange, "
             "eye, rand, randn; Tensor<f32, Shape<2, 3>> x holds zeros");
WEFT_REFUSAL(
    MemoryIsWritten,
    "the tensor or model that a view is of is const: it is only read, as is trainer.model(); a model "
    "of one's own, make_trainer(model, ...), may be written");
WEFT_REFUSAL(FullTakesNumber,
             "full takes the number that is to stand everywhere, as the shape is part of the type: write "
             "Tensor<f32, Shape<2, 3>>::full(0.5f)");
WEFT_REFUSAL(ExtentIsAsked, "size() counts all elements: the extent of an axis is x.extent(0)");
WEFT_REFUSAL(
    TensorIsDeclared,
    "a tensor's dtype and shape are its type: write Tensor<f32, Shape<3>> t{1, 2, 3}, or TensorView<f32, "
    "Shape<3>> v(pointer), which copies nothing; in a compiled function numbers are an input or a parameter");

}  // namespace WEFT_NAMESPACE::exec
