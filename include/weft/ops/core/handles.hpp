#pragma once
// The handles that stand for values while a function is traced, and what is one of them. Expr carries dtype
// and shape in its type, so mistakes are found at the user's line; its value is a node number, so types stay
// short. Lazy is a typed tree that becomes nodes later, ScalarExpr a number known only at run time.

#include <tuple>
#include <type_traits>

#include "weft/core/diagnose.hpp"
#include "weft/core/takes.hpp"
#include "weft/ir/value.hpp"
#include "weft/ops/core/traced_members.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    LazyIsAssigned,
    "an expression of tensors runs when it is assigned to a tensor: write Tensor<bool, Shape<>> found = "
    "any<>(x > 0), then found.item(), and Tensor<f32, Shape<>> s = sum(x); in a traced function there is "
    "no if on values: where(c, a, b)");

WEFT_REFUSAL(
    LazyHasNoGradient,
    "an expression of tensors keeps no graph for a gradient: make_trainer(Cpu{}, loss, in<f32, 4, 8>) "
    "differentiates the loss of a model, and grad(f)(x) in a compiled function is the gradient of any");
WEFT_REFUSAL(
    LazyHasDevice,
    "an expression of tensors runs where its tensors lie, when it is assigned to one: another dtype is "
    "cast<f16>(a + b), another device that of the tensor, Tensor<f32, Shape<4>, Cuda> u = t");

template <class T, class S>
struct Expr : TracedMembers<Expr<T, S>> {
  using dtype = T;
  using shape = S;
  static constexpr int rank = S::rank;
  static constexpr ElementCount<S> size{};

  ir::Value value;

  constexpr Expr() = default;
  constexpr Expr(ir::Value v) : value(v) {}
  constexpr Expr(const Expr&) = default;
  constexpr Expr(Expr&&) = default;
  constexpr Expr& operator=(const Expr&) & = default;  // of a name: a slice is no place to write to
  constexpr Expr& operator=(Expr&&) & = default;
  using TracedMembers<Expr>::operator=;
};

WEFT_REFUSAL(
    LazyIsKept,
    "zeros<f32, 4>(), arange<f32, 4>() and what is made of them have types of their own, which a traced "
    "value does not fit in: start from one, auto total = 0 * x, or give the result a name of its own");

// An operation that draws random numbers says so: inside a loop it draws anew in every trip.
template <class Op>
concept Draws = requires {
  typename Op::weft_draws;
};
namespace detail {
struct DrawsNothing {};
}  // namespace detail

// What operations on literals (`arange`, `zeros`) and run-time tensors return: a typed tree that is replayed
// as Exprs when it meets a traced handle or is assigned to a Tensor, and reads its tensors then: it is not to
// outlive its statement.
template <class Op, class... Args>
struct Lazy {
  std::tuple<Args...> args;
  [[no_unique_address]] std::conditional_t<Draws<Op>, ir::DrawHandle, detail::DrawsNothing> draw{};

  template <class B>
  requires std::is_arithmetic_v<B>
  constexpr explicit operator B() const {
    detail::misspelt<LazyIsAssigned<false, Lazy>>();
    return B{};
  }
#define WEFT_METHOD(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, MethodIsFunction, spelled::name, Lazy)
  WEFT_TENSOR_METHODS(WEFT_METHOD)
  WEFT_INPLACE_METHODS(WEFT_METHOD)
#undef WEFT_METHOD
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, LazyHasNoGradient, Lazy)
  WEFT_MEMBER(backward)
  WEFT_MEMBER(detach)
  WEFT_MEMBER(requires_grad_)
#undef WEFT_MEMBER
  template <class... T>  // to<f16>(), too
  constexpr auto to(const auto&...) const {
    static_assert(sizeof(LazyHasDevice<(sizeof...(T) > 99), Lazy>) > 0);
    return AfterRefusal{};
  }
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, LazyHasDevice, Lazy)
  WEFT_MEMBER(cpu)
  WEFT_MEMBER(cuda)
#undef WEFT_MEMBER
#define WEFT_MEMBER(name) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, LazyIsAssigned, Lazy)
  WEFT_MEMBER(item)
  WEFT_MEMBER(data)
  WEFT_MEMBER(size)
  WEFT_MEMBER(to_vector)
  WEFT_MEMBER(operator())
#undef WEFT_MEMBER
  template <class L = Lazy>  // of a range-for
  const float* begin() const {
    static_assert(sizeof(LazyIsAssigned<sizeof(L*) == 0, L>) > 0);
    return nullptr;
  }
  const float* end() const { return nullptr; }
  operator float() const {
    static_assert(sizeof(LazyIsAssigned<sizeof(Lazy*) == 0, Lazy>) > 0);
    return 0;
  }
  template <class T, class S>
  constexpr auto operator=(const Expr<T, S>&) {
    static_assert(sizeof(LazyIsKept<sizeof(Expr<T, S>*) == 0, Lazy, Expr<T, S>>) > 0);
    return *this;
  }
#define WEFT_UPDATE(sign)                                            \
  template <class B>                                                 \
  constexpr Lazy& operator sign(const B&) {                          \
    static_assert(sizeof(LazyIsKept<sizeof(B*) == 0, Lazy, B>) > 0); \
    return *this;                                                    \
  }
  WEFT_UPDATE(+=)
  WEFT_UPDATE(-=)
  WEFT_UPDATE(*=)
  WEFT_UPDATE(/=)
#undef WEFT_UPDATE
  template <class I>
  auto operator[](const I&) const {
    static_assert(sizeof(LazyIsAssigned<sizeof(I) == 0, Lazy>) > 0);
    return AfterRefusal{};
  }
};

// Among the operands of a Lazy: what the operation takes as it stands, such as a function.
template <class F>
struct Held {
  F value;
};
template <class A>
inline constexpr bool is_held = false;
template <class F>
inline constexpr bool is_held<Held<F>> = true;

template <class A>
inline constexpr bool is_expr = false;
template <class T, class S>
inline constexpr bool is_expr<Expr<T, S>> = true;

template <class A>
inline constexpr bool is_lazy = false;
template <class Op, class... Args>
inline constexpr bool is_lazy<Lazy<Op, Args...>> = true;

template <class A>
inline constexpr bool draws = false;
template <class Op, class... Args>
inline constexpr bool draws<Lazy<Op, Args...>> = Draws<Op> || (draws<Args> || ...);

// A type that stands for an expression (a parameter, a buffer): it has a member `expr()`.
template <class A>
concept ExprLike = is_expr<std::remove_cvref_t<A>> || requires(const A& a) {
  a.expr();
};

// A run-time tensor: an operand of Lazy, with `replay(context)`.
template <class A>
concept TensorLike = requires {
  typename std::remove_cvref_t<A>::weft_tensor;
};

template <class A>
concept Scalar = std::is_arithmetic_v<std::remove_cvref_t<A>> || is_element_count<std::remove_cvref_t<A>>;

// A number known only at run time: it promotes like the C++ scalar S and is cast where it is used.
template <class S>
struct ScalarExpr {
  ir::Value value;
};
template <class A>
inline constexpr bool is_scalar_expr = false;
template <class S>
inline constexpr bool is_scalar_expr<ScalarExpr<S>> = true;

template <class A>
concept Operand = ExprLike<A> || is_lazy<std::remove_cvref_t<A>> || TensorLike<A> || Scalar<A> ||
    is_scalar_expr<std::remove_cvref_t<A>> || is_after_refusal<std::remove_cvref_t<A>>;

// What a structured binding takes apart, what stands for a refused value aside.
template <class A>
concept TupleLike = !Operand<A> && requires {
  std::tuple_size<A>::value;
};

namespace detail {
template <class A>
constexpr auto value_of(const A& a);
}  // namespace detail

// What a layer is called with, as an Expr. What is none is refused.
template <class A>
constexpr auto to_expr(const A& a) {
  if constexpr (is_expr<A>)
    return a;
  else if constexpr (ExprLike<A>)
    return a.expr();
  else
    return detail::value_of(a);  // value_of.hpp
}

template <class A>
using expr_of = decltype(to_expr(std::declval<const A&>()));

}  // namespace WEFT_NAMESPACE
