#pragma once
// Numbers beside a tensor of integers, and what is written into a tensor, by full, masked_fill, pad,
// index_put or scatter: they become of the tensor's dtype, and are refused where they are none of it.

#include <limits>

#include "weft/core/error.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

// What: the operation, the value's type, the tensor's dtype.
WEFT_REFUSAL(FractionsAreKept,
             "the tensor is of integers and the value is floating, which would be cut: make it a tensor of "
             "such values, cast<f32>(x), or cut them by name, cast<i32>(value)");

namespace detail {

// Whether V is a floating value and T an integer type. (Numbers are looked at one by one: 2.0 is one of i32.)
template <class V, class T>
inline constexpr bool is_cut = std::is_integral_v<T>&& [] {
  if constexpr (ExprLike<V>)
    return is_float(dtype_of<typename operand_traits<V>::dtype>);
  else
    return false;
}();

// The dtype that the type of a value or run-time tensor names, or void.
template <class X>
struct DtypeInType {
  using type = void;
};
template <class X>
requires requires { typename X::dtype; }
struct DtypeInType<X> {
  using type = typename X::dtype;
};
template <class X>
using dtype_in_type = typename DtypeInType<X>::type;

// Whether a number is one of T, where T is an integer type. Of bool all are, as in C++.
template <class T, class V>
constexpr bool number_fits(const V& v) {
  if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_integral_v<V>) {
    return static_cast<V>(static_cast<T>(v)) == v && (static_cast<T>(v) < T{}) == (v < V{});
  } else if constexpr (std::is_floating_point_v<V>) {
    const auto number = static_cast<double>(v);
    return number >= -9.2e18 && number <= 9.2e18 && static_cast<double>(static_cast<i64>(number)) == number &&
           number_fits<T>(static_cast<i64>(number));
  } else {
    return true;
  }
}

// Numbers of C++, and those known at run time alone.
template <class A>
inline constexpr bool is_number = Scalar<A> || is_scalar_expr<A>;

// Whether a V is an integer number, of C++ or known at run time alone, that may be none of the integers T.
template <class T, class V>
inline constexpr bool may_exceed = [] {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && is_number<V>) {
    using N = std::conditional_t<Scalar<V>, V, typename operand_traits<V>::dtype>;
    if constexpr (std::is_integral_v<N>)
      return !number_fits<T>(std::numeric_limits<N>::min()) || !number_fits<T>(std::numeric_limits<N>::max());
  }
  return false;
}();
template <class T, class V>
constexpr bool exceeds(const V& v) {
  if constexpr (!may_exceed<T, V>)
    return false;
  else if constexpr (is_scalar_expr<V>)
    return true;
  else
    return !number_fits<T>(v);
}

// An operand as T; an integer number that is none of the integers T is refused.
template <class T, class V>
constexpr ir::Value operand_as(ir::Builder& b, const V& v) {
  if constexpr (Scalar<V> && std::is_integral_v<V>)
    if (!number_fits<T>(v)) return ir::read_without_value(b, dtype_of<T>, Dims{}, ir::Valueless::no_fit);
  return as_value<T>(b, v);
}

// A number as a value of a dtype in which it is compared with x.
template <class N, class X>
constexpr auto number_as_value(const N& number, const X& x) {
  using T = std::conditional_t<is_integer(dtype_of<common<X, N>>), i64, common<X, N>>;
  return Expr<T, Shape<>>{operand_as<T>(*x.value.builder, number)};
}

// v as the dtype T of the tensor that it is written into.
template <class Op, class T, class V>
constexpr auto written(ir::Builder& b, const V& v) {
  static_assert(sizeof(FractionsAreKept<!is_cut<V, T>, Op, V, T>) > 0);
  if (!number_fits<T>(v)) return ir::read_without_value(b, dtype_of<T>, Dims{}, ir::Valueless::no_fit);
  return as_value<T>(b, v);
}

// A number that a function writes into the run-time tensor or literal of dtype T; in a traced function, which
// the compiler evaluates, `written` refuses it.
template <class T, class V>
constexpr const V& fitting(const V& v) {
  if constexpr (Scalar<V> && !std::is_void_v<T>)
    if (!std::is_constant_evaluated() && !number_fits<T>(v))
      throw Error("tensor/number-range", std::to_string(v) + " is no number of dtype " +
                                             std::string(name_of(dtype_of<T>)) +
                                             ": cast the tensor, or the number");
  return v;
}
// Throws where v is an integer number and none of the dtype of the run-time tensor x.
template <class V, class X>
constexpr void check_beside(const V& v, const X&) {
  if constexpr (std::is_integral_v<V>) fitting<dtype_in_type<X>>(v);
}

}  // namespace detail

}  // namespace WEFT_NAMESPACE
