#pragma once
// The members and operators that a traced value does not have and PyTorch's tensors do, x.view(2, 8), x[0],
// if (x), x = fc(x): each refuses with the spelling to use.

#include <type_traits>

#include "weft/core/diagnose.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(ValueIsTraced,
             "a traced value has no elements while the program compiles: return it, mark it with "
             "probe<\"name\">(x) and read get_probe<\"name\">(f) after a call, or print it outside");
WEFT_REFUSAL(
    TruthIsTraced,
    "a traced value has no truth value while the program compiles: write where(condition, a, b) in place "
    "of if and ?:, logical_and and logical_or (or & and |) in place of && and ||, loop in place of while");
WEFT_REFUSAL(
    SubscriptIsSpelled,
    "a traced value has no subscripts: read x[0] as select<0, 0>(x), x[1:3] as slice<0, 1, 3>(x), x[i] as "
    "index_select or index; write with select_scatter, slice_scatter or index_put, which return the new "
    "value");
WEFT_REFUSAL(
    RowsAreUnbound,
    "a traced value is no range: write unbind<0>(x) for a tuple of its rows, or loop<n>(body, carry) over "
    "them");
WEFT_REFUSAL(TypeIsKept, "a value keeps its shape and dtype: write auto h = fc1(x) in place of x = fc1(x)");
WEFT_REFUSAL(
    MethodIsFunction,
    "an operation is a function, whose sizes and axes are template arguments: write view<2, 8>(x), "
    "sum<1>(x), transpose<0, 1>(x), relu(x) in place of x.view(2, 8), x.sum(1), x.transpose(0, 1), x.relu()");
WEFT_REFUSAL(NothingInPlace, "a traced value is not changed in place: write x = x + y, or auto h = x + y");
WEFT_REFUSAL(
    DtypeIsCast,
    "a traced value has no .to(), .type(), .cuda() or .cpu(): write cast<f16>(x) for another dtype; the "
    "device is the first argument of compile and make_trainer");
WEFT_REFUSAL(
    GradientIsFunction,
    "a traced value has no .backward(), .grad or .requires_grad_(): make_trainer differentiates the loss, "
    "and grad(f)(x) is the gradient of any function");
WEFT_REFUSAL(DetachIsFunction, "a traced value has no .detach(): write stop_gradient(x)");
WEFT_REFUSAL(ExtentIsConstant,
             "a traced value has no .dim(), .numel() or .ndim: its type says them: decltype(x)::rank, "
             "decltype(x)::size, decltype(x)::shape::value[0]");

// x.T and x.mT.
struct TransposedMember {};

// The base of Self, a traced value. Results are deduced: so that g++ looks into the body, and says the
// sentence, before the next line has a wrong shape.
template <class Self>
struct TracedMembers {
  static constexpr TransposedMember T{}, mT{};

  template <class B>
  constexpr auto& operator=(const B&) {
    static_assert(sizeof(TypeIsKept<sizeof(B) == 0, Self, B>) > 0);
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
  template <class I>
  constexpr auto operator[](const I&) const {
    static_assert(sizeof(SubscriptIsSpelled<sizeof(I) == 0, Self>) > 0);
    return self();
  }
  constexpr const Self* begin() const { return &detail::misspelt<RowsAreUnbound<false, Self>>(self()); }
  constexpr const Self* end() const { return &self(); }

#define WEFT_MEMBER(name, Refusal, result)                                      \
  template <class... A>                                                         \
  constexpr auto name(const A&...) const {                                      \
    static_assert(sizeof(Refusal<sizeof(Self) == 0, spelled::name, Self>) > 0); \
    return result;                                                              \
  }
  WEFT_MEMBER(item, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(tolist, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(numpy, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(data, ValueIsTraced, AfterRefusal{})
  WEFT_MEMBER(dim, ExtentIsConstant, AfterRefusal{})
  WEFT_MEMBER(numel, ExtentIsConstant, AfterRefusal{})
  WEFT_MEMBER(backward, GradientIsFunction, AfterRefusal{})
  WEFT_MEMBER(detach, DetachIsFunction, self())
  WEFT_MEMBER(to, DtypeIsCast, self())
  WEFT_MEMBER(cuda, DtypeIsCast, self())
  WEFT_MEMBER(cpu, DtypeIsCast, self())
  WEFT_MEMBER(view, MethodIsFunction, self())
  WEFT_MEMBER(reshape, MethodIsFunction, self())
  WEFT_MEMBER(flatten, MethodIsFunction, self())
  WEFT_MEMBER(transpose, MethodIsFunction, self())
  WEFT_MEMBER(permute, MethodIsFunction, self())
  WEFT_MEMBER(t, MethodIsFunction, self())
  WEFT_MEMBER(sum, MethodIsFunction, self())
  WEFT_MEMBER(mean, MethodIsFunction, self())
  WEFT_MEMBER(max, MethodIsFunction, self())
  WEFT_MEMBER(squeeze, MethodIsFunction, self())
  WEFT_MEMBER(unsqueeze, MethodIsFunction, self())
  WEFT_MEMBER(argmax, MethodIsFunction, self())
  WEFT_MEMBER(softmax, MethodIsFunction, self())
  WEFT_MEMBER(relu, MethodIsFunction, self())
  WEFT_MEMBER(exp, MethodIsFunction, self())
  WEFT_MEMBER(log, MethodIsFunction, self())
  WEFT_MEMBER(sqrt, MethodIsFunction, self())
  WEFT_MEMBER(pow, MethodIsFunction, self())
  WEFT_MEMBER(matmul, MethodIsFunction, self())
  WEFT_MEMBER(masked_fill, MethodIsFunction, self())
  WEFT_MEMBER(clone, MethodIsFunction, self())
  WEFT_MEMBER(contiguous, MethodIsFunction, self())
  WEFT_MEMBER(abs, MethodIsFunction, self())
  WEFT_MEMBER(add_, NothingInPlace, self())
  WEFT_MEMBER(mul_, NothingInPlace, self())
  WEFT_MEMBER(sub_, NothingInPlace, self())
  WEFT_MEMBER(fill_, NothingInPlace, self())
  WEFT_MEMBER(zero_, NothingInPlace, self())
#undef WEFT_MEMBER

 private:
  constexpr const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace WEFT_NAMESPACE
