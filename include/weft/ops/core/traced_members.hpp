#pragma once
// The members and operators that a traced value does not have and PyTorch's tensors do, x.view(2, 8), x[0],
// if (x), x = fc(x): each refuses with the spelling to use.

#include <array>
#include <initializer_list>
#include <type_traits>

#include "weft/core/checked_extent.hpp"
#include "weft/core/diagnose.hpp"
#include "weft/core/tensor_methods.hpp"
#include "weft/ops/core/name_spelling.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(ValueIsTraced,
             "a traced value has no elements while the program compiles: return it, mark it with "
             "probe<\"name\">(x) and read get_probe<\"name\">(f) after a call, or print it outside");
WEFT_REFUSAL(
    ScalarIsTraced,
    "a traced value is no number while the program compiles, and functions of std take none: write "
    "exp(x), maximum(x, y) in place of std::exp(x), std::max(x, y), and auto in place of float or bool for a "
    "parameter; training is the program's mode, mode::train; a layer is made before it is called, "
    "nn::Dropout{0.2f}(x); read numbers after a call");
WEFT_REFUSAL(
    ParameterIsMade,
    "a layer is made before it is called, and takes its values in the call: hold nn::Linear<8, 4> fc "
    "as a member and call fc(x); a parameter is no copy of a value");
WEFT_REFUSAL(
    TruthIsTraced,
    "a traced value has no truth value while the program compiles: write where(condition, a, b) in place "
    "of if and ?:, logical_and and logical_or (or & and |) in place of && and ||, while_loop<100>(condition, "
    "body, carry) in place of while, loop<10>(body, carry) in place of for, maximum(a, b) in place of "
    "std::max");
WEFT_REFUSAL(
    SubscriptIsSpelled,
    "a traced value has no subscripts: read x[0] as select<0, 0>(x), x[1:3] as slice<0, 1, 3>(x), x[i] as "
    "index_select or index, x[mask] as masked_select<n>(x, mask); write with select_scatter, slice_scatter, "
    "masked_fill or index_put, which return the new value");
WEFT_REFUSAL(
    SubscriptIsOfParameter,
    "x[i] of a traced i is index(x, i); a score or mask of attention reads so what stands behind it, and "
    "nothing that it captures: attention(q, k, v, [](auto s, auto b, auto h, auto i, auto j, auto slope) { "
    "return s + slope[h] * (j - i); }, slope)");
WEFT_REFUSAL(
    RowsAreUnbound,
    "a traced value is no range: write unbind<0>(x) for a tuple of its rows, or loop<n>(body, carry) over "
    "them");
WEFT_REFUSAL(TypeIsKept,
             "a value keeps its shape and dtype: write auto h = fc1(x) in place of x = fc1(x); in place of a "
             "loop that grows one, cat<1>(a, b, c) or stack<0>(a, b, c) of all");
WEFT_REFUSAL(ResultIsAssigned,
             "what an operation gives is a new value, and nothing is written through it: write h = "
             "slice_scatter<0, 0, 2>(h, y), select_scatter<0, 1>(h, y) or index_put(h, y, at<0>) in place of "
             "slice<0, 0, 2>(h) = y");
WEFT_REFUSAL(MethodIsFunction,
             "an operation is a function, whose sizes and axes are template arguments: write view<2, 8>(x), "
             "sum<1>(x), transpose<0, 1>(x), relu(x) in place of x.view(2, 8), x.sum(1), x.transpose(0, 1), "
             "x.relu(); x.std(1) is stddev<1>(x)");
WEFT_REFUSAL(ValueIsCalled,
             "a traced value is called as if it were a layer: the model is the first parameter of a loss, "
             "[](const auto& model, auto x, auto y), grad and vmap take a function and no value, "
             "grad([](auto v) { ... })(x), * is a product, and an element is index(x, at<0>, at<1>)");
WEFT_REFUSAL(NothingInPlace, "a traced value is not changed in place: write x = x + y, or auto h = x + y");
WEFT_REFUSAL(RandomIsMade,
             "a traced value is not filled in place: random values are made, normal<f32, 8>(0, 0.02f), "
             "rand<f32, 8>(), bernoulli<f32, 8>(0.5f), and how a parameter starts is in its type, "
             "nn::Param<f32, Shape<8>, nn::init::Normal<1, 50>>");
WEFT_REFUSAL(
    PlacesAreArgmax,
    "max<1>(x) is the values alone, and no pair: their places are argmax<1>(x), those of min argmin<1>(x); "
    "of others auto [values, places] = topk<2>(x), sort<1>(x), median<1>(x)");
WEFT_REFUSAL(
    DtypeIsCast,
    "a traced value has no .to(), .type(), .cuda() or .cpu(): write cast<f16>(x) for another dtype; the "
    "device is the first argument of compile and make_trainer");
WEFT_REFUSAL(
    GradientIsFunction,
    "a traced value has no .backward(), .grad or .requires_grad_(): make_trainer differentiates the loss, "
    "and grad(f)(x) is the gradient of any function");
WEFT_REFUSAL(ShapeIsKnown,
             "the shape is part of the type: the extent of an axis is x.extent(0), the shape "
             "decltype(x)::shape, the number of axes decltype(x)::rank");
WEFT_REFUSAL(ExtentIsAsked, "size() counts all elements: the extent of an axis is x.extent(0)");
WEFT_REFUSAL(
    ValueIsMade,
    "a tensor of another's dtype or shape is made by a function: zeros_like(x), full_like(x, 1), zeros<f32, "
    "4, 8>() in place of x.new_zeros(4, 8)");
WEFT_REFUSAL(DetachIsFunction, "a traced value has no .detach(): write stop_gradient(x)");

WEFT_REFUSAL(
    ValueIsNoPointer,
    "a traced value is no pointer, and C++ has no ** for powers: write pow(x, 2), square(x) or x * x, "
    "and x itself in place of *x");

// The number of a value's elements: decltype(x)::size, x.size and x.size(); x.size(0) is refused.
template <class S>
struct ElementCount {
  constexpr operator i64() const { return S::size; }
  constexpr i64 operator()() const { return S::size; }
  template <class A>
  constexpr i64 operator()(const A&) const {
    static_assert(sizeof(ExtentIsAsked<sizeof(A) == 0, S>) > 0);
    return 1;
  }
};
template <class A>
inline constexpr bool is_element_count = false;
template <class S>
inline constexpr bool is_element_count<ElementCount<S>> = true;

namespace detail {
// What the call of a method that is refused gives: what PyTorch's gives is taken apart, auto [values,
// indices] = x.topk(3), so that no second error follows. (How many parts x.chunk(n) has is not known here.)
template <class Name, class... Of>
inline constexpr bool is_one_of = (std::is_same_v<Name, Of> || ...);
template <class Name, class... Given, class Self>
constexpr auto after_method(const Self& self) {
  constexpr bool along_axis = (std::is_integral_v<Given> || ...);
  if constexpr (is_one_of<Name, spelled::split, spelled::unbind>)
    return std::array<AfterRefusal, 3>{};
  else if constexpr (is_one_of<Name, spelled::aminmax, spelled::chunk, spelled::cummax, spelled::cummin,
                               spelled::kthvalue, spelled::sort, spelled::topk, spelled::unique> ||
                     (along_axis &&
                      is_one_of<Name, spelled::max, spelled::median, spelled::min, spelled::nanmedian>))
    return AfterRefusal{};
  else
    return self;
}
}  // namespace detail

namespace detail {
// The refusal of a method that changes a tensor: of those that fill it at random another.
template <bool Fits, class Name, class Self>
struct ChangesInPlace {};
template <class Name, class Self>
struct ChangesInPlace<false, Name, Self> : NothingInPlace<false, Name, Self> {};
template <class Name, class Self>
requires is_one_of<Name, spelled::bernoulli_, spelled::cauchy_, spelled::exponential_, spelled::geometric_,
                   spelled::log_normal_, spelled::normal_, spelled::random_, spelled::uniform_>
struct ChangesInPlace<false, Name, Self> : RandomIsMade<false, Name, Self> {
};
}  // namespace detail

// x.T and x.mT; x.grad.
struct TransposedMember {
  template <class... A>
  constexpr auto operator()(const A&...) const {
    static_assert(sizeof(MethodIsFunction<(sizeof...(A) > 1024), spelled::T>) > 0);
    return AfterRefusal{};
  }
};
struct GradientMember {};
// max<1>(x).indices: refused where it is copied, and as an operand.
template <class Self>
struct PlacesMember {
  constexpr PlacesMember() = default;
  // (What is thrown is asked for at once, the body later.)
  constexpr PlacesMember(const PlacesMember&) noexcept(sizeof(PlacesAreArgmax<sizeof(Self*) == 0, Self>) >
                                                       0) {}
};
template <class A>
inline constexpr bool is_places_member = false;
template <class Self>
inline constexpr bool is_places_member<PlacesMember<Self>> = true;

// The base of Self, a traced value. Results are deduced: so that g++ looks into the body, and says the
// sentence, before the next line has a wrong shape.
template <class Self>
struct TracedMembers {
  static constexpr TransposedMember T{}, mT{};
  static constexpr GradientMember grad{};
  static constexpr RefusedAttribute<GradientIsFunction, spelled::requires_grad> requires_grad{};
  static constexpr RefusedAttribute<DtypeIsCast, spelled::is_cuda> is_cuda{};
  static constexpr RefusedAttribute<ShapeIsKnown, spelled::ndim> ndim{};
  static constexpr PlacesMember<Self> values{}, indices{};

  WEFT_FRIENDS_OF_OTHER_NAMES

  template <class B>
  constexpr auto& operator=(const B&) & {
    static_assert(sizeof(TypeIsKept<sizeof(B) == 0, Self, B>) > 0);
    return static_cast<Self&>(*this);
  }
  template <class B>
  constexpr auto& operator=(const B&) && {
    static_assert(sizeof(ResultIsAssigned<sizeof(B) == 0, Self, B>) > 0);
    return static_cast<Self&>(*this);
  }
  template <class B>
  requires std::is_arithmetic_v<B>
  constexpr explicit operator B() const {
    if constexpr (std::is_same_v<B, bool>)
      detail::misspelt<TruthIsTraced<false, Self>>();
    else
      detail::misspelt<ValueIsTraced<false, Self>>();
    return B{};
  }
  // Of no template: so that std::exp(x) takes the overload for float.
  constexpr operator float() const {
    detail::misspelt<ScalarIsTraced<false, Self>>();
    return 0;
  }
  // Into a layer's parameter, as nn::Linear<8, 4>(x) has it.
  template <class P>
  requires requires { typename P::initializer; }
  constexpr operator P() const {
    static_assert(sizeof(ParameterIsMade<sizeof(P) == 0, Self, P>) > 0);
    return {};
  }
  template <class I>
  constexpr auto operator[](const I&) const {
    constexpr bool place = requires { requires I::rank == 0; };
    static_assert(sizeof(SubscriptIsOfParameter<!place, Self, I>) > 0);
    static_assert(sizeof(SubscriptIsSpelled<place, Self>) > 0);
    return self();
  }
  template <class... A>
  constexpr auto operator()(const A&...) const {
    static_assert(sizeof(ValueIsCalled<sizeof(Self) == 0, Self, A...>) > 0);
    return self();
  }
  template <int = 0>
  constexpr auto operator*() const {
    static_assert(sizeof(ValueIsNoPointer<sizeof(Self) == 0, Self>) > 0);
    return self();
  }
  constexpr auto& operator++() {
    static_assert(sizeof(NothingInPlace<sizeof(Self*) == 0, Self>) > 0);
    return static_cast<Self&>(*this);
  }
  constexpr auto begin() const {
    static_assert(sizeof(RowsAreUnbound<sizeof(Self) == 0, Self>) > 0);
    return &self();
  }
  constexpr auto end() const { return &self(); }
#define WEFT_MEMBER(name, Refusal, result) WEFT_REFUSED_MEMBER(name, result, Refusal, spelled::name, Self)
  WEFT_MEMBER(item, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(tolist, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(numpy, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(data, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(backward, GradientIsFunction, AfterRefusal{})
  WEFT_MEMBER(detach, DetachIsFunction, self())
  WEFT_MEMBER(to, DtypeIsCast, self())
  template <class T>
  constexpr auto to() const {
    static_assert(sizeof(DtypeIsCast<sizeof(T) == 0, spelled::to, Self>) > 0);
    return self();
  }
  WEFT_MEMBER(cuda, DtypeIsCast, self())
  WEFT_MEMBER(cpu, DtypeIsCast, self())
  WEFT_MEMBER(type, DtypeIsCast, self())
  WEFT_MEMBER(half, DtypeIsCast, self())
  WEFT_MEMBER(device, DtypeIsCast, self())
  WEFT_MEMBER(requires_grad_, GradientIsFunction, self())
  WEFT_MEMBER(register_hook, GradientIsFunction, self())
  WEFT_MEMBER(retain_grad, GradientIsFunction, self())
  WEFT_MEMBER(type_as, DtypeIsCast, self())
#define WEFT_METHOD(name) \
  WEFT_MEMBER(name, MethodIsFunction, (detail::after_method<spelled::name, Given...>(self())))
#define WEFT_INPLACE(name) WEFT_MEMBER(name, detail::ChangesInPlace, self())
  WEFT_TENSOR_METHODS(WEFT_METHOD)
  WEFT_INPLACE_METHODS(WEFT_INPLACE)
#define WEFT_NEW(name)                                                                   \
  WEFT_MEMBER(name, ValueIsMade, AfterRefusal{})                                         \
  constexpr auto name(std::initializer_list<i64>, const auto&... more) const {           \
    static_assert(sizeof(ValueIsMade<(sizeof...(more) > 99), spelled::name, Self>) > 0); \
    return AfterRefusal{};                                                               \
  }
  WEFT_NEW_METHODS(WEFT_NEW)
#undef WEFT_METHOD
#undef WEFT_INPLACE
#undef WEFT_NEW
#define WEFT_BRACED(name)                                                                  \
  template <class Given = Self>                                                            \
  constexpr auto name(std::initializer_list<i64>, const auto&...) const {                  \
    static_assert(sizeof(MethodIsFunction<sizeof(Given) == 0, spelled::name, Given>) > 0); \
    return self();                                                                         \
  }
  WEFT_BRACED(view)
  WEFT_BRACED(reshape)
  WEFT_BRACED(expand)
  WEFT_BRACED(repeat)
  WEFT_BRACED(permute)
  WEFT_BRACED(index)
  WEFT_BRACED(sum)
  WEFT_BRACED(mean)
  WEFT_BRACED(amax)
  WEFT_BRACED(amin)
  WEFT_BRACED(flip)
  WEFT_BRACED(tile)
  WEFT_BRACED(broadcast_to)
#undef WEFT_BRACED
  WEFT_REFUSED_MEMBER(sizes, (std::array<i64, 8>{}), ShapeIsKnown, spelled::sizes, Self)
#undef WEFT_MEMBER

  // As PyTorch's and as a Tensor's.
  static constexpr i64 numel() { return Self::shape::size; }
  static constexpr int dim() { return Self::rank; }
  // Of an axis counted from either end; throws "tensor/axis".
  static constexpr i64 extent(int axis) { return checked_extent(Self::shape::value, axis); }

 private:
  constexpr const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace WEFT_NAMESPACE
