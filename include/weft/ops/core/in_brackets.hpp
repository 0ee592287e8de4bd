#pragma once
// What somebody put in <>, whatever its type: for overloads that refuse it. (A parameter `auto` would not do:
// clang before 18 has no template arguments of floating types; and in 16 none that a reference is bound to.)

#include <type_traits>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::detail {

struct InBrackets {
  enum Kind : u8 { integer, truth, fraction, other } kind;

  template <class T>
  constexpr InBrackets(T)
      : kind(std::is_same_v<T, bool>       ? truth
             : std::is_integral_v<T>       ? integer
             : std::is_floating_point_v<T> ? fraction
                                           : other) {}
};

}  // namespace WEFT_NAMESPACE::detail
