#pragma once
// Literals: tensors made from nothing. They join the graph at their first use; the kernel that reads them
// computes them in place.

#include "weft/ops/pointwise.hpp"

namespace weft {

namespace detail {

// A splat whose value is given when the expression is written.
template <class T, i64... D>
struct FullOp : Operation<FullOp<T, D...>> {
  template <class V>
  static constexpr auto apply(ir::Builder& b, V value) {
    return Expr<T, Shape<D...>>{ir::constant(b, dtype_of<T>, Shape<D...>::value, static_cast<double>(value))};
  }
};
template <class T, int Value, i64... D>
struct SplatOp : Operation<SplatOp<T, Value, D...>> {
  static constexpr auto apply(ir::Builder& b) {
    return Expr<T, Shape<D...>>{ir::constant(b, dtype_of<T>, Shape<D...>::value, Value)};
  }
};
// 0, 1, ..., N - 1.
template <class T, i64 N>
struct ArangeOp : Operation<ArangeOp<T, N>> {
  static constexpr auto apply(ir::Builder& b) {
    constexpr DType index = std::is_same_v<T, i64> ? DType::i64 : DType::i32;
    return Expr<T, Shape<N>>{ir::cast(ir::Value{&b, b.leaf(ir::Op::iota, index, Shape<N>::value, 0)}, dtype_of<T>)};
  }
};

}  // namespace detail

template <class T, i64... D>
inline constexpr detail::FullOp<T, D...> full{};

template <class T, i64... D>
constexpr auto zeros() {
  return detail::SplatOp<T, 0, D...>{}();
}
template <class T, i64... D>
constexpr auto ones() {
  return detail::SplatOp<T, 1, D...>{}();
}
template <class T, i64 N>
constexpr auto arange() {
  return detail::ArangeOp<T, N>{}();
}

}  // namespace weft
