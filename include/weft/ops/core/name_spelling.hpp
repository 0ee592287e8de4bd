#pragma once
// Operations of numbers, called with these in <>, and to_text of a traced value: functions that refuse with
// what to write. Names that weft has not are in traced_members.hpp.

#include "weft/ops/core/spelling.hpp"

namespace WEFT_NAMESPACE {

// pow<2>(x), clamp<0, 1>(x)
WEFT_REFUSAL(NumbersAreArguments,
             "numbers that decide no shape are arguments and no template arguments: pow(x, 2), clamp(x, 0, "
             "1), dropout(x, 0.5f)");
#define WEFT_NUMBERED(name)                                                    \
  template <auto First, auto... More, Spelled X>                               \
  requires std::is_arithmetic_v<decltype(First)>                               \
  constexpr auto name(const X& x) {                                            \
    return detail::respelled<NumbersAreArguments<false, spelled::name, X>>(x); \
  }
WEFT_NUMBERED(pow)
WEFT_NUMBERED(clamp)
WEFT_NUMBERED(clamp_min)
WEFT_NUMBERED(clamp_max)
WEFT_NUMBERED(lerp)
WEFT_NUMBERED(threshold)
#undef WEFT_NUMBERED

// to_text(x) of a traced value
template <class T, class S>
constexpr auto to_text(const Expr<T, S>&) {
  detail::misspelt<ValueIsTraced<false, Expr<T, S>>>();
  return to_text(S::value);
}

}  // namespace WEFT_NAMESPACE
