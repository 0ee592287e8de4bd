#pragma once
// Numbers that an operation is defined for: a probability, a rate, the bounds of randint. A traced function
// is refused, by an ir::Valueless, as its numbers are known while it is traced; for run-time tensors an Error
// is thrown.

#include <limits>
#include <string>

#include "weft/core/error.hpp"
#include "weft/ops/core/expr.hpp"

namespace WEFT_NAMESPACE::detail {

inline constexpr double unlimited = std::numeric_limits<double>::infinity();
inline constexpr double least_positive = std::numeric_limits<double>::denorm_min();

// Whether a number lies in [low, high]; what is known at run time alone may.
template <class V>
constexpr bool lies_in(const V& v, double low, double high) {
  if constexpr (std::is_arithmetic_v<V>)
    return static_cast<double>(v) >= low && static_cast<double>(v) <= high;
  else
    return true;
}

// e where its numbers lie in their ranges.
template <class E>
constexpr E known_if(bool ok, const E& e, ir::Valueless why) {
  return ok ? e : without_value<E>(*e.value.builder, why);
}
// Of a number that is given outside of a traced function: throws "tensor/number-range" where it does not.
template <class V>
constexpr const V& checked_in(const V& v, double low, double high, const char* what) {
  if constexpr (std::is_arithmetic_v<V>)
    if (!std::is_constant_evaluated() && !lies_in(v, low, high))
      throw Error("tensor/number-range", std::string(what) + ", and not " + std::to_string(v));
  return v;
}

inline constexpr const char* rate_text = "the rate of a dropout is the share that it drops, from 0 to 1";
inline constexpr const char* share_text = "a probability, the q of a quantile and a smoothing lie in [0, 1]";
inline constexpr const char* delta_text =
    "the delta of huber_loss and the beta of smooth_l1_loss are positive";
inline constexpr const char* scale_text =
    "a standard deviation is not negative, nor is the bound of renorm, a rate, a width and the tau of "
    "gumbel_softmax are positive, the p of geometric lies in (0, 1], the upper slope of rrelu is not below "
    "the lower";

}  // namespace WEFT_NAMESPACE::detail
