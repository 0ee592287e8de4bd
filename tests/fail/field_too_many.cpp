// expect: a model has at most 64 members: group some of them in a struct
// expect: Model
#include "weft/core/field.hpp"

struct Model {
  int a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15;
  int b00, b01, b02, b03, b04, b05, b06, b07, b08, b09, b10, b11, b12, b13, b14, b15;
  int c00, c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, c15;
  int d00, d01, d02, d03, d04, d05, d06, d07, d08, d09, d10, d11, d12, d13, d14, d15;
#ifndef WEFT_FIXED
  int one_more;
#endif
};
inline constexpr auto count = weft::field_count<Model>();
