#pragma once
// The pointwise primitives: what dtype and shape a result has, and which nodes it is; pointwise.hpp names
// them.

#include "weft/ops/core/value_of.hpp"
#include "weft/ops/core/written.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

template <class A, class B>
struct broadcast_rule {
  static constexpr bool ok = broadcastable(A::value, B::value);
  static constexpr Dims value = ok ? broadcast(A::value, B::value) : A::value;
};

template <class Op, class A, class B>
constexpr auto broadcast_shapes() {
  using SA = shape_of_operand<A>;
  using SB = shape_of_operand<B>;
  if constexpr (std::is_same_v<SA, SB>) {
    return SA{};
  } else {
    using Rule = broadcast_rule<SA, SB>;
    static_assert(sizeof(ShapesBroadcast<Rule::ok, Op, SA, SB>) > 0);
    return shape_of<Rule>{};
  }
}

// Whether integers are the same modulo 2^n, whatever of their operands is cut off.
constexpr bool wraps(ir::Op op) {
  using ir::Op;
  return op == Op::add || op == Op::sub || op == Op::mul || op == Op::bit_and || op == Op::bit_or ||
         op == Op::bit_xor;
}

// Whether a primitive takes a dtype: bits are of integers and booleans, and arithmetic is not of booleans.
constexpr bool takes(ir::Op op, DType t) {
  switch (op) {
    case ir::Op::bit_and:
    case ir::Op::bit_or:
    case ir::Op::bit_xor:
      return !is_float(t);
    case ir::Op::shift_right:
      return is_integer(t);
    case ir::Op::neg:
    case ir::Op::abs:
    case ir::Op::floor:
    case ir::Op::ceil:
    case ir::Op::round:
    case ir::Op::trunc:
    case ir::Op::sub:
    case ir::Op::fmod:
    case ir::Op::pow:
      return t != DType::boolean;
    default:
      return true;
  }
}

}  // namespace detail

// One operand; the result has its shape. `Float`: integers are promoted to f32, as in PyTorch.
template <ir::Op op, bool Float>
struct UnaryOp : Operation<UnaryOp<op, Float>> {
  template <class A>
  static constexpr auto apply(ir::Builder& b, const A& a) {
    using T0 = dtype_of_operand<A>;
    using T = std::conditional_t<Float, floating<T0>, T0>;
    using R = std::conditional_t<ir::is_predicate(op), bool, T>;
    constexpr bool ok = detail::takes(op, dtype_of<T>);
    static_assert(sizeof(DtypeAllowed<ok, UnaryOp, T>) > 0);
    if constexpr (ok && !(op == ir::Op::sign && std::is_same_v<T, bool>))  // a boolean is its own sign
      return Expr<R, shape_of_operand<A>>{ir::unary(op, detail::as_value<T>(b, a))};
    else
      return Expr<R, shape_of_operand<A>>{detail::as_value<T>(b, a)};
  }
};

// Two operands of common dtype and broadcast shapes.
template <ir::Op op, bool Float = false>
struct BinaryOp : Operation<BinaryOp<op, Float>> {
  template <class A, class B>
  requires(!Float && !detail::wraps(op) &&
           !ir::is_predicate(op)) static constexpr void check_numbers(const A& x, const B& y) {
    detail::check_beside(x, y);
    detail::check_beside(y, x);
  }
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    using T0 = common<A, B>;
    using T = std::conditional_t<Float, floating<T0>, T0>;
    using R = std::conditional_t<ir::is_predicate(op), bool, T>;
    using S = decltype(detail::broadcast_shapes<BinaryOp, A, B>());
    constexpr bool ok = detail::takes(op, dtype_of<T>);
    static_assert(sizeof(DtypeAllowed<ok, BinaryOp, dtype_of_operand<A>, dtype_of_operand<B>>) > 0);
    if constexpr (ok && !detail::wraps(op) && (detail::may_exceed<T, A> || detail::may_exceed<T, B>)) {
      if (detail::exceeds<T>(x) || detail::exceeds<T>(y)) {
        // What compares is the numbers' own order. Of another operation's result the number must be one; what
        // is known at run time alone is taken as it is, and the result is cast.
        constexpr bool as_it_is = ir::is_predicate(op) || is_scalar_expr<A> || is_scalar_expr<B>;
        return in_dtype<std::conditional_t<as_it_is, i64, T>, R, S>(b, x, y);
      }
    }
    // A number is not rounded to a small float first; of constants kernels see to that.
    if constexpr (ok && is_float(dtype_of<T>) && !ir::takes_elements(op) &&
                  (is_scalar_expr<A> || is_scalar_expr<B>))
      return in_dtype<opmath<T>, R, S>(b, x, y);
    else if constexpr (ok)
      return Expr<R, S>{ir::binary(op, detail::as_value<T>(b, x), detail::as_value<T>(b, y))};
    else
      return Expr<R, S>{ir::binary(ir::Op::max, detail::as_value<T>(b, x), detail::as_value<T>(b, y))};
  }

 private:
  template <class Wide, class R, class S, class A, class B>
  static constexpr Expr<R, S> in_dtype(ir::Builder& b, const A& x, const B& y) {
    const ir::Value left = detail::operand_as<Wide>(b, x), right = detail::operand_as<Wide>(b, y);
    ir::Value v = ir::binary(op, left, right);
    if constexpr (op == ir::Op::pow && is_scalar_expr<B> && is_float(dtype_of<Wide>))  // as of a constant
      v = ir::select(ir::broadcast(ir::binary(ir::Op::eq, right, ir::constant_like(right, 0.5)), v.dims()),
                     ir::broadcast(ir::unary(ir::Op::sqrt, left), v.dims()), v);
    return {ir::cast(v, dtype_of<R>)};
  }
};

// y op x: greater and greater-equal from less.
template <ir::Op op>
struct SwappedOp : Operation<SwappedOp<op>> {
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y) {
    return BinaryOp<op>::apply(b, y, x);
  }
};

template <class T>
struct CastOp : Operation<CastOp<T>> {
  template <class A>
  requires is_expr<A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    return Expr<T, typename A::shape>{ir::cast(a.value, dtype_of<T>)};
  }
};

// Every bit turned; of booleans, not.
struct BitwiseNotOp : Operation<BitwiseNotOp> {
  template <class A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    constexpr DType t = dtype_of<typename A::dtype>;
    static_assert(sizeof(DtypeAllowed<!is_float(t), BitwiseNotOp, typename A::dtype>) > 0);
    if constexpr (t == DType::boolean)
      return A{ir::unary(ir::Op::logical_not, a.value)};
    else if constexpr (is_float(t))
      return a;
    else
      return A{ir::binary(ir::Op::bit_xor, a.value, ir::constant_like(a.value, t == DType::u8 ? 255 : -1))};
  }
};

// Whether the sign bit is set: of -0 and of negative NaN, too.
struct SignBitOp : Operation<SignBitOp> {
  template <class A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    constexpr DType t = dtype_of<typename A::dtype>;
    ir::Value v = a.value;
    if constexpr (is_float(t))
      v = t == DType::f64 ? ir::bitcast(v, DType::i64) : ir::bitcast(ir::cast(v, DType::f32), DType::i32);
    if constexpr (t == DType::boolean)
      return Expr<bool, typename A::shape>{ir::constant_like(v, 0)};
    else
      return Expr<bool, typename A::shape>{ir::binary(ir::Op::lt, v, ir::constant_like(v, 0))};
  }
};

struct StopGradientOp : Operation<StopGradientOp> {
  template <class A>
  static constexpr auto apply(ir::Builder&, const A& a) {
    return A{ir::unary(ir::Op::stop_gradient, a.value)};
  }
};

WEFT_REFUSAL(ConditionIsBoolean, "where: the condition must be boolean: write where(x != 0, a, b)");

struct WhereOp : Operation<WhereOp> {
  template <class C, class A, class B>
  static constexpr void check_numbers(const C&, const A& x, const B& y) {
    detail::check_beside(x, y);
    detail::check_beside(y, x);
  }
  template <class C, class A, class B>
  static constexpr auto apply(ir::Builder& b, const C& condition, const A& x, const B& y) {
    static_assert(
        sizeof(ConditionIsBoolean<std::is_same_v<dtype_of_operand<C>, bool>, WhereOp, dtype_of_operand<C>>) >
        0);
    using T = common<A, B>;
    using S1 = decltype(detail::broadcast_shapes<WhereOp, A, B>());
    using S = decltype(detail::broadcast_shapes<WhereOp, C, Expr<T, S1>>());
    ir::Value v = ir::select(detail::as_value<bool>(b, condition), detail::operand_as<T>(b, x),
                             detail::operand_as<T>(b, y));
    return Expr<T, S>{ir::broadcast(v, S::value)};
  }
};

// a * b + c rounded once.
struct FmaOp : Operation<FmaOp> {
  template <class A, class B, class C>
  static constexpr auto apply(ir::Builder& b, const A& x, const B& y, const C& z) {
    using T = floating<common<Expr<common<A, B>, Shape<>>, C>>;
    using S1 = decltype(detail::broadcast_shapes<FmaOp, A, B>());
    using S = decltype(detail::broadcast_shapes<FmaOp, Expr<T, S1>, C>());
    constexpr bool late = is_scalar_expr<A> || is_scalar_expr<B> || is_scalar_expr<C>;
    using Wide = std::conditional_t<late, opmath<T>, T>;  // numbers are not rounded to a small float first
    const auto as = [&](const auto& v) { return ir::broadcast(detail::as_value<Wide>(b, v), S::value); };
    const ir::Value p = as(x);
    const ir::Value sum = ir::raw(ir::Op::fma, dtype_of<Wide>, p.node().shape, 0, -1, p, as(y), as(z));
    return Expr<T, S>{ir::cast(sum, dtype_of<T>)};
  }
};

}  // namespace WEFT_NAMESPACE
