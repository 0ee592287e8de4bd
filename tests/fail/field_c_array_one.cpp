// expect: a model has no C array as a member: use std::array<T, N> instead
// expect: Model
#include "weft/core/field.hpp"

struct Model {
  int first = 0;
#ifdef WEFT_FIXED
  std::array<float, 1> table{};
#else
  float table[1]{};
#endif
  int last = 0;
};
inline constexpr auto count = weft::field_count<Model>();
