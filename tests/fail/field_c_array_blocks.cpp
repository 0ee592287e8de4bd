// expect: a model has no C array as a member: use std::array<T, N> instead
// expect: Model
#include "weft/core/field.hpp"

struct Block {
  int weight = -1;
  int bias = -1;
};

struct Model {
  int first = 0;
#ifdef WEFT_FIXED
  std::array<Block, 2> h;
#else
  Block h[2];
#endif
  int last = 0;
};
inline constexpr auto count = weft::field_count<Model>();
