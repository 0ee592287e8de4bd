#pragma once
// in<f32, 128, 64>: the dtype and shape of a program's input.

#include "weft/core/option.hpp"
#include "weft/ops/expr.hpp"

namespace WEFT_NAMESPACE {

template <class T, class S>
struct Input {
  static constexpr OptionKind option = OptionKind::input;
  using dtype = T;
  using shape = S;

  // Refused: in<f32>(2, 3).
  template <class... A>
  constexpr Input operator()(const A&...) const {
    static_assert(sizeof(ShapeIsInType<sizeof(std::tuple<A...>*) == 0, T>) > 0);
    return {};
  }
};

template <class T, i64... D>
inline constexpr Input<T, Shape<D...>> in{};

template <class A>
inline constexpr bool is_input = false;
template <class T, class S>
inline constexpr bool is_input<Input<T, S>> = true;

}  // namespace WEFT_NAMESPACE
