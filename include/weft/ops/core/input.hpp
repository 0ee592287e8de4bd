#pragma once
// in<f32, 128, 64>: the dtype and shape of a program's input.

#include "weft/core/option.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(InputIsValue, "in<...> is not called: write compile(Cpu{}, f, in<f32, 4, 8>), without the ()");

template <class T, class S>
struct Input {
  static constexpr OptionKind option = OptionKind::input;
  using dtype = T;
  using shape = S;

  // Refused: in<f32, 2, 3>().
  template <class Self = T>
  constexpr Input operator()() const {
    static_assert(sizeof(InputIsValue<sizeof(Self) == 0, T, S>) > 0);
    return {};
  }
  // Refused: in<f32>(2, 3).
  template <class... A>
  constexpr Input operator()(const A&...) const {
    static_assert(sizeof(ShapeIsInType<sizeof(std::tuple<A...>*) == 0, T>) > 0);
    return {};
  }
};

WEFT_REFUSAL(
    ExtentsAreGiven,
    "in<...>: every extent is known while compiling, the batch's, too: write in<f32, 32, 8> in place of "
    "in<f32, -1, 8>, and let the loader pad the last batch, .last = data::pad_and_mask");

WEFT_REFUSAL(
    InputHasDtype,
    "in<...>: the elements of an input are f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i8, u8 or bool: "
    "write in<f32, 32, 8>");

namespace detail {
template <class T, i64... D>
using InputOf = Input<std::conditional_t<Element<T>, T, f32>, Shape<(D < 0 ? 1 : D)...>>;
// In a function, so that the compiler names the line that says in<...>.
template <class T, i64... D>
constexpr InputOf<T, D...> checked_input() {
  constexpr bool given = ((D >= 0) && ... && true), has_dtype = Element<T>;
  static_assert(sizeof(ExtentsAreGiven<given, T>) > 0);
  static_assert(sizeof(InputHasDtype<has_dtype, T>) > 0);
  return {};
}
}  // namespace detail

template <class T, i64... D>
inline constexpr detail::InputOf<T, D...> in{detail::checked_input<T, D...>()};

template <class A>
inline constexpr bool is_input = false;
template <class T, class S>
inline constexpr bool is_input<Input<T, S>> = true;

}  // namespace WEFT_NAMESPACE
