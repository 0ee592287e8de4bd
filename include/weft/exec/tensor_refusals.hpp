#pragma once
// What is said to who uses a tensor as it cannot be used: by PyTorch's members, of another shape or dtype.

#include <initializer_list>
#include <type_traits>
#include <vector>

#include "weft/core/diagnose.hpp"
#include "weft/ops/core/traced_members.hpp"

namespace WEFT_NAMESPACE::exec {

WEFT_REFUSAL(TensorTakesElements,
             "Tensor: it is made of its elements in braces, a std::vector or a pointer to them; for one "
             "number everywhere write Tensor<...>::full(number)");

WEFT_REFUSAL(
    TensorIndexFits,
    "a tensor takes one integer index an axis: write t(1, 2) for t[1][2]; t[i] is the i-th element in "
    "row-major order");
WEFT_REFUSAL(ItemIsOne,
             "item() is for tensors of one element, and so is a number made of one: write t(1, 2), t[5] or "
             "to_vector() for others");
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
    BufferIsAssigned,
    "assign is of an nn::Buffer in a traced function, m.total.assign(x): outside the memory of a model is "
    "written by =, model.get<\"total\">() = values, and a tensor too");
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
WEFT_REFUSAL(RowsAreOfTwoAxes,
             "braces in braces are the rows of a tensor of two axes: the elements of one with more stand row "
             "by row in one pair, Tensor<f32, Shape<2, 1, 2>> x{1, 2, 3, 4}");
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
WEFT_REFUSAL(
    TensorKeepsSize,
    "a tensor has the size that its type says: declare another, Tensor<f32, Shape<4>> y, and write elements "
    "by y[0] = 1; a std::vector grows, and Tensor<f32, Shape<4>> y(vector) copies one");
WEFT_REFUSAL(
    TensorIsSaved,
    "a tensor has no file of its own: io::write_safetensors(\"x.safetensors\", {{\"x\", DType::f32, {2, 3}, "
    "x.data()}}) writes one, io::open_safetensors(path) reads it; a model is saved by model.save(path)");
WEFT_REFUSAL(TensorIsNoPointer, "a pointer to the elements of a tensor is x.data(), and to a view v.data()");
WEFT_REFUSAL(
    DtypeIsFirst,
    "the dtype is the first template argument and the shape the second: write Tensor<f32, Shape<2, 3>>");
WEFT_REFUSAL(ArrayHasShape,
             "an array that a tensor is made of has the dtype and the number of elements of the tensor: of "
             "float a[2][3] or std::array<float, 6> a make Tensor<f32, Shape<2, 3>> x(a)");
WEFT_REFUSAL(
    NamedViewIsWritten,
    "= gives a view that has a name other memory: std::move(v) = values writes into its own, as v *= 2, "
    "v[i] = 1 and model.get<\"fc.bias\">() = values do");

}  // namespace WEFT_NAMESPACE::exec

namespace WEFT_NAMESPACE::spelled {
struct accessor;
struct append;
struct assign;
struct cols;
struct data_ptr;
struct Constant;
struct Identity;
struct Ones;
struct push_back;
struct Random;
struct resize;
struct rows;
struct setConstant;
struct setOnes;
struct setRandom;
struct setZero;
struct Zero;
}  // namespace WEFT_NAMESPACE::spelled

namespace WEFT_NAMESPACE::exec {

// x.grad of a tensor, refused where it is read.
template <class T, class S>
struct TensorGradient {
  template <class B>
  operator B() const {
    static_assert(sizeof(TensorHasNoGradient<sizeof(B) == 0, spelled::grad, T, S>) > 0);
    return B{};
  }
};

// The members of other libraries' tensors, of a tensor or view Self.
template <class Self, class T, class S>
struct RefusedMembers {
  WEFT_FRIENDS_OF_OTHER_NAMES

#define WEFT_MEMBER(name, Refusal) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, Refusal, spelled::name, T, S)
  template <class A>
  static constexpr i64 size(const A&) {
    static_assert(sizeof(ExtentIsAsked<sizeof(A) == 0, T, S>) > 0);
    return 0;
  }
  template <class U = T>
  constexpr U* data_ptr() const {
    static_assert(sizeof(TensorIsRead<sizeof(U) == 0, spelled::data_ptr, T, S>) > 0);
    return nullptr;
  }
  template <class U, int... Axes>
  auto accessor() const {
    static_assert(sizeof(TensorIsRead<sizeof(U) == 0, spelled::accessor, T, S>) > 0);
    return AfterRefusal{};
  }
#define WEFT_CREATED(name)                                                                      \
  template <class... Given>                                                                     \
  static auto name(const Given&...) {                                                           \
    static_assert(sizeof(TensorIsCreated<(sizeof...(Given) > 1024), spelled::name, T, S>) > 0); \
    return AfterRefusal{};                                                                      \
  }
  WEFT_CREATED(zeros)
  WEFT_CREATED(ones)
  WEFT_CREATED(empty)
  WEFT_CREATED(rand)
  WEFT_CREATED(randn)
  WEFT_CREATED(eye)
  WEFT_CREATED(arange)
  WEFT_CREATED(Zero)
  WEFT_CREATED(Ones)
  WEFT_CREATED(Constant)
  WEFT_CREATED(Identity)
  WEFT_CREATED(Random)
#undef WEFT_CREATED
  static constexpr TensorGradient<T, S> grad{};
  static constexpr RefusedAttribute<TensorHasNoGradient, spelled::requires_grad> requires_grad{};
  static constexpr RefusedAttribute<TensorHasDevice, spelled::is_cuda> is_cuda{};
  static constexpr RefusedAttribute<ShapeIsKnown, spelled::ndim> ndim{};
#define WEFT_METHOD(name) WEFT_MEMBER(name, TensorOperation)
  WEFT_TENSOR_METHODS(WEFT_METHOD)
  WEFT_INPLACE_METHODS(WEFT_METHOD)
#undef WEFT_METHOD
#define WEFT_METHOD(name)                                                                \
  WEFT_MEMBER(name, ValueIsMade)                                                         \
  constexpr auto name(std::initializer_list<i64>, const auto&... more) const {           \
    static_assert(sizeof(ValueIsMade<(sizeof...(more) > 99), spelled::name, T, S>) > 0); \
    return AfterRefusal{};                                                               \
  }
  WEFT_NEW_METHODS(WEFT_METHOD)
#undef WEFT_METHOD
  WEFT_MEMBER(numpy, TensorIsRead)
  WEFT_MEMBER(tolist, TensorIsRead)
  WEFT_MEMBER(at, TensorIsRead)
  WEFT_MEMBER(print, TensorIsRead)
  WEFT_MEMBER(sizes, ShapeIsKnown)
  WEFT_MEMBER(rows, ShapeIsKnown)
  WEFT_MEMBER(cols, ShapeIsKnown)
  WEFT_MEMBER(fill, TensorIsFilled)
  WEFT_MEMBER(assign, BufferIsAssigned)
  WEFT_MEMBER(setZero, TensorIsFilled)
  WEFT_MEMBER(setOnes, TensorIsFilled)
  WEFT_MEMBER(setConstant, TensorIsFilled)
  auto zero_() const {
    static_assert(sizeof(TensorIsFilled<sizeof(S*) == 0, spelled::zero_, T, S>) > 0);
    return AfterRefusal{};
  }
  template <class A>
  auto fill_(const A&) const {
    static_assert(sizeof(TensorIsFilled<sizeof(A*) == 0, spelled::fill_, T, S>) > 0);
    return AfterRefusal{};
  }
  WEFT_MEMBER(setRandom, TensorIsCreated)
  WEFT_MEMBER(resize, TensorKeepsSize)
  WEFT_MEMBER(push_back, TensorKeepsSize)
  WEFT_MEMBER(append, TensorKeepsSize)
  WEFT_MEMBER(save, TensorIsSaved)
  WEFT_MEMBER(load, TensorIsSaved)
  WEFT_MEMBER(to, TensorHasDevice)
  WEFT_MEMBER(cuda, TensorHasDevice)
  WEFT_MEMBER(cpu, TensorHasDevice)
  WEFT_MEMBER(type, TensorHasDevice)
  WEFT_MEMBER(half, TensorHasDevice)
  WEFT_MEMBER(device, TensorHasDevice)
  WEFT_MEMBER(backward, TensorHasNoGradient)
  WEFT_MEMBER(detach, TensorHasNoGradient)
  WEFT_MEMBER(requires_grad_, TensorHasNoGradient)
  WEFT_MEMBER(retain_grad, TensorHasNoGradient)
  WEFT_MEMBER(type_as, TensorHasDevice)
#undef WEFT_MEMBER
  template <class U>
  operator std::vector<U>() const {
    static_assert(sizeof(TensorIsRead<sizeof(U) == 0, spelled::to_vector, T, S>) > 0);
    return {};
  }
  // float* p = x; std::memcpy(x, ...);
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, std::remove_const_t<T>> || std::is_void_v<U>) operator U*()
      const {
    static_assert(sizeof(TensorIsNoPointer<sizeof(U) == 0, U*, T, S>) > 0);
    return nullptr;
  }
  template <class N>
  requires(std::is_arithmetic_v<N>&& S::size != 1) operator N() const {
    static_assert(sizeof(ItemIsOne<sizeof(N) == 0, Self, N>) > 0);
    return N{};
  }
};

}  // namespace WEFT_NAMESPACE::exec
