#pragma once
// Tied<"wte.weight">: a second name, in files, for a parameter that the module's function uses twice. It
// holds nothing: the function uses the parameter itself.

#include "weft/core/fixed_string.hpp"

namespace WEFT_NAMESPACE::nn {

// Target is looked up beside the member, then in each enclosing module, then from the root. Files are written
// with both names, as PyTorch's state_dict has them; either is enough to read one.
template <FixedString Target>
struct Tied {
  using weft_tied = void;
  static constexpr auto target = Target;
};

// (By a member: nvcc matches no partial specialisation with a FixedString.)
template <class T>
inline constexpr bool is_tied = requires {
  typename T::weft_tied;
};

}  // namespace WEFT_NAMESPACE::nn
