#pragma once
// The names of the pointwise primitives, and the operators, as PyTorch has them.

#include "weft/ops/math/pointwise_ops.hpp"

namespace WEFT_NAMESPACE {

inline constexpr UnaryOp<ir::Op::neg, false> neg{};
inline constexpr UnaryOp<ir::Op::sign, false> sign{};
inline constexpr UnaryOp<ir::Op::logical_not, false> logical_not{};

inline constexpr BinaryOp<ir::Op::add> add{};
inline constexpr BinaryOp<ir::Op::sub> sub{};
inline constexpr BinaryOp<ir::Op::mul> mul{};
inline constexpr BinaryOp<ir::Op::max> maximum{};
inline constexpr BinaryOp<ir::Op::min> minimum{};
inline constexpr BinaryOp<ir::Op::eq> eq{};
inline constexpr BinaryOp<ir::Op::ne> ne{};
inline constexpr BinaryOp<ir::Op::lt> lt{};
inline constexpr BinaryOp<ir::Op::le> le{};
inline constexpr SwappedOp<ir::Op::lt> gt{};
inline constexpr SwappedOp<ir::Op::le> ge{};
inline constexpr BinaryOp<ir::Op::bit_and> bitwise_and{};
inline constexpr BinaryOp<ir::Op::bit_or> bitwise_or{};
inline constexpr BinaryOp<ir::Op::bit_xor> bitwise_xor{};

inline constexpr BitwiseNotOp bitwise_not{};

inline constexpr StopGradientOp stop_gradient{};
inline constexpr WhereOp where{};

// Operators need one operand that is an expression, a parameter, a literal or a tensor.
template <class A, class B>
concept OperatorOperands = Operand<A> && Operand<B> &&(!Scalar<A> || !Scalar<B>);

// x in another dtype: cast<f16>(x).
template <class T, class A>
constexpr auto cast(const A& a) {
  return CastOp<T>{}(a);
}
WEFT_REFUSAL(
    DtypeIsTypeArgument,
    "the dtype is a type in <>: write cast<f16>(x) in place of cast<DType::f16>(x) and cast(x, f16)");
template <DType T, class A>
constexpr auto cast(const A& a) {
  static_assert(sizeof(DtypeIsTypeArgument<sizeof(A) == 0, CastOp<f32>, A>) > 0);
  return detail::first_expr(a);
}
template <class A, class... B>
requires(Operand<A> && !Scalar<A>) constexpr auto cast(const A& a, const B&...) {
  static_assert(sizeof(DtypeIsTypeArgument<sizeof(A) == 0, CastOp<f32>, A>) > 0);
  return detail::first_expr(a);
}

// Names that the C library has at global scope are function templates, so that they overload beside ::exp
// under `using namespace weft`; all others are function objects.
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto abs(const A& a) { return UnaryOp<ir::Op::abs, false>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto floor(const A& a) {
  return UnaryOp<ir::Op::floor, false>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto ceil(const A& a) {
  return UnaryOp<ir::Op::ceil, false>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto round(const A& a) {
  return UnaryOp<ir::Op::round, false>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto trunc(const A& a) {
  return UnaryOp<ir::Op::trunc, false>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto exp(const A& a) { return UnaryOp<ir::Op::exp, true>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto expm1(const A& a) {
  return UnaryOp<ir::Op::expm1, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto log(const A& a) { return UnaryOp<ir::Op::log, true>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto log1p(const A& a) {
  return UnaryOp<ir::Op::log1p, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto sqrt(const A& a) {
  return UnaryOp<ir::Op::sqrt, true>{}(a);
}
template <class A>
requires(Operand<A> &&
         !Scalar<A>) constexpr auto rsqrt(const A& a) {  // CUDA's library has the name at global scope
  return UnaryOp<ir::Op::rsqrt, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto sin(const A& a) { return UnaryOp<ir::Op::sin, true>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto cos(const A& a) { return UnaryOp<ir::Op::cos, true>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto tan(const A& a) { return UnaryOp<ir::Op::tan, true>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto asin(const A& a) {
  return UnaryOp<ir::Op::asin, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto acos(const A& a) {
  return UnaryOp<ir::Op::acos, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto atan(const A& a) {
  return UnaryOp<ir::Op::atan, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto sinh(const A& a) {
  return UnaryOp<ir::Op::sinh, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto cosh(const A& a) {
  return UnaryOp<ir::Op::cosh, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto tanh(const A& a) {
  return UnaryOp<ir::Op::tanh, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto erf(const A& a) { return UnaryOp<ir::Op::erf, true>{}(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto isfinite(const A& a) {
  return UnaryOp<ir::Op::is_finite, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto isnan(const A& a) {
  return UnaryOp<ir::Op::is_nan, true>{}(a);
}
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto signbit(const A& a) { return SignBitOp{}(a); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto div(const A& a, const B& b) { return BinaryOp<ir::Op::div, true>{}(a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto pow(const A& a, const B& b) { return BinaryOp<ir::Op::pow>{}(a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto fmod(const A& a, const B& b) { return BinaryOp<ir::Op::fmod>{}(a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto atan2(const A& a, const B& b) { return BinaryOp<ir::Op::atan2, true>{}(a, b); }
template <class A, class B, class C>
requires(Operand<A>&& Operand<B>&& Operand<C> &&
         !(Scalar<A> && Scalar<B> && Scalar<C>)) constexpr auto fma(const A& a, const B& b, const C& c) {
  return FmaOp{}(a, b, c);
}

// An operand that is none, such as a tuple or a string, beside an expression: the sentence comes.
template <class A>
concept SpelledTuple = is_tuple_like<A> && requires(const A& a) {
  requires is_expr<std::remove_cvref_t<decltype(std::get<0>(a))>>;
};
template <class A>
concept SpelledMember =
    std::is_same_v<A, GradientMember> || std::is_same_v<A, TransposedMember> || is_places_member<A>;
template <class A, class B>
concept MistakenOperands = (SpelledTuple<A> && (Operand<B> || SpelledTuple<B>)) ||
                           (Operand<A> && SpelledTuple<B>) || (SpelledMember<A> && Operand<B>) ||
                           (Operand<A> && SpelledMember<B>) || (ExprLike<A> && LayerLike<B>) ||
                           (LayerLike<A> && ExprLike<B>) ||
                           (is_expr<A> &&
                            (SpelledTuple<B> || std::is_convertible_v<const B&, const char*>)) ||
                           (is_expr<B> && std::is_convertible_v<const A&, const char*>);
template <class A, class B>
concept ArithmeticOperands = OperatorOperands<A, B> || MistakenOperands<A, B>;

template <class A, class B>
requires ArithmeticOperands<A, B>
constexpr auto operator+(const A& a, const B& b) { return add(a, b); }
template <class A, class B>
requires ArithmeticOperands<A, B>
constexpr auto operator-(const A& a, const B& b) { return sub(a, b); }
template <class A, class B>
requires ArithmeticOperands<A, B>
constexpr auto operator*(const A& a, const B& b) { return mul(a, b); }
template <class A, class B>
requires ArithmeticOperands<A, B>
constexpr auto operator/(const A& a, const B& b) { return BinaryOp<ir::Op::div, true>{}(a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator==(const A& a, const B& b) { return eq(a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator!=(const A& a, const B& b) { return ne(a, b); }
WEFT_REFUSAL(ComparisonsAreJoined,
             "what a comparison gives is compared with a number, as by 0 < x < 1: write (0 < x) & (x < 1)");
namespace detail {
template <class A>
constexpr bool is_truth() {
  if constexpr (ExprLike<A>)
    return std::is_same_v<typename expr_of<A>::dtype, bool>;
  else
    return !Scalar<A> || std::is_same_v<A, bool>;
}
template <class Op, class A, class B>
constexpr auto compared(const Op& op, const A& a, const B& b) {
  constexpr bool chained =
      (ExprLike<A> && is_truth<A>() && !is_truth<B>()) || (ExprLike<B> && is_truth<B>() && !is_truth<A>());
  static_assert(sizeof(ComparisonsAreJoined<!chained, A, B>) > 0);
  return op(a, b);
}
}  // namespace detail
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator<(const A& a, const B& b) { return detail::compared(lt, a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator<=(const A& a, const B& b) { return detail::compared(le, a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator>(const A& a, const B& b) { return detail::compared(gt, a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator>=(const A& a, const B& b) { return detail::compared(ge, a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator&(const A& a, const B& b) { return bitwise_and(a, b); }
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator|(const A& a, const B& b) { return bitwise_or(a, b); }

// Refused: mask && other of run-time tensors.
WEFT_REFUSAL(LogicIsByElement,
             "&& and || join two truth values, not tensors: element by element it is a & b, a | b and !a, or "
             "logical_and(a, b) of numbers; a tensor of one element is a.item() && b");
#define WEFT_OPERATOR(sign, name)                                                                        \
  template <class A, class B>                                                                            \
  requires((TensorLike<A> && Operand<B>) || (Operand<A> && TensorLike<B>)) constexpr auto operator sign( \
      const A& a, const B& b) {                                                                          \
    static_assert(sizeof(LogicIsByElement<sizeof(A) == 0, A, B>) > 0);                                   \
    return name(a, b);                                                                                   \
  }
WEFT_OPERATOR(&&, bitwise_and)
WEFT_OPERATOR(||, bitwise_or)
#undef WEFT_OPERATOR

namespace detail {
// Of an expression of run-time tensors it is not known here.
template <class A>
constexpr bool is_floating_operand() {
  if constexpr (Scalar<A>)
    return std::is_floating_point_v<A>;
  else if constexpr (ExprLike<A>)
    return is_float(dtype_of<dtype_of_operand<A>>);
  else if constexpr (TensorLike<A>)
    return is_float(dtype_of<dtype_in_type<A>>);
  else
    return false;
}
}  // namespace detail
WEFT_REFUSAL(PowerIsFunction, "^ is the exclusive or of integers: a power is square(x), pow(x, 3), x * x");
template <class A, class B>
requires OperatorOperands<A, B>
constexpr auto operator^(const A& a, const B& b) {
  constexpr bool floating = detail::is_floating_operand<A>() || detail::is_floating_operand<B>();
  static_assert(sizeof(PowerIsFunction<!floating, A, B>) > 0);
  if constexpr (!floating)
    return bitwise_xor(a, b);
  else if constexpr (ExprLike<A> || ExprLike<B>)
    return detail::first_expr(a, b);
  else
    return AfterRefusal{};
}

// h += y where the result has the type of h.
WEFT_REFUSAL(
    ParameterIsConstant,
    "a parameter of the model, a buffer and a const value are not changed: write auto h = x + y; a buffer "
    "has assign(value)");
namespace detail {
template <class A, class R>
constexpr A& assigned(A& a, const R& result) {
  if constexpr (std::is_const_v<A> || !is_expr<A>)
    misspelt<ParameterIsConstant<false, A>>();
  else
    a = result;
  return a;
}
}  // namespace detail
// A value and numbers in an array or a container, refused.
WEFT_REFUSAL(NumbersAreTensors,
             "numbers in an array or a container are no value: make them an input, in<f32, 3>, or a "
             "parameter, nn::Param<f32, Shape<3>>");
template <class B>
concept HoldsNumbers = (std::is_array_v<B> && !std::is_convertible_v<B, const char*>) ||
                       (!Operand<B> && requires { requires std::is_arithmetic_v<typename B::value_type>; });
#define WEFT_OPERATOR(sign)                                                                     \
  template <class A, class B>                                                                   \
  requires(ExprLike<A> && HoldsNumbers<B>) constexpr auto operator sign(const A& a, const B&) { \
    static_assert(sizeof(NumbersAreTensors<sizeof(A) == 0, A, B>) > 0);                         \
    return to_expr(a);                                                                          \
  }
WEFT_OPERATOR(+)
WEFT_OPERATOR(-)
WEFT_OPERATOR(*)
WEFT_OPERATOR(/)
#undef WEFT_OPERATOR

#define WEFT_OPERATOR(sign)                                                             \
  template <class A, class B>                                                           \
  requires(ExprLike<A> && Operand<B>) constexpr A& operator sign##=(A& a, const B& b) { \
    return detail::assigned(a, a sign b);                                               \
  }
WEFT_COMPOUND_OPERATORS
#undef WEFT_OPERATOR
// index(h, at<0>) += y; what is added is taken, so that no second error follows.
#define WEFT_OPERATOR(sign)                                                     \
  template <class T, class S, class B>                                          \
  requires Operand<B>                                                           \
  constexpr Expr<T, S> operator sign##=(const Expr<T, S>&& a, const B&) {       \
    static_assert(sizeof(ResultIsAssigned<sizeof(B) == 0, Expr<T, S>, B>) > 0); \
    return a;                                                                   \
  }
WEFT_COMPOUND_OPERATORS
#undef WEFT_OPERATOR
// return a, b: of values that nothing else holds.
WEFT_REFUSAL(ResultsAreTuple,
             "a comma between two values drops the first: return several results as a tuple, return "
             "std::tuple{a, b}");
template <class T, class S, class U, class R>
constexpr auto operator,(Expr<T, S>&& a, Expr<U, R>&& b) {
  static_assert(sizeof(ResultsAreTuple<sizeof(T) == 0, Expr<T, S>, Expr<U, R>>) > 0);
  return std::tuple{a, b};
}
// std::cout << x
template <class Stream, class T, class S>
requires requires(Stream& s) { s.rdbuf(); }
constexpr auto& operator<<(Stream& stream, const Expr<T, S>&) {
  static_assert(sizeof(ValueIsTraced<sizeof(Stream*) == 0, Expr<T, S>>) > 0);
  return stream;
}

template <class Stream, class Op, class... A>
requires requires(Stream& s) { s.rdbuf(); }
auto& operator<<(Stream& stream, const Lazy<Op, A...>&) {
  static_assert(sizeof(LazyIsAssigned<sizeof(Stream*) == 0, Lazy<Op, A...>>) > 0);
  return stream;
}

template <class A>
requires(ExprLike<A>) constexpr auto operator+(const A& a) { return to_expr(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto operator-(const A& a) { return neg(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto operator!(const A& a) { return logical_not(a); }
template <class A>
requires(Operand<A> && !Scalar<A>) constexpr auto operator~(const A& a) { return bitwise_not(a); }

}  // namespace WEFT_NAMESPACE
