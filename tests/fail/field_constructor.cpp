// expect: a model is a plain struct: no constructor, no private member, no virtual function
// expect: Model
#include "weft/core/field.hpp"

struct Model {
#ifndef WEFT_FIXED
  constexpr explicit Model(int w) : weight(w) {}
#endif
  int weight = 0;
};
inline constexpr auto count = weft::field_count<Model>();
