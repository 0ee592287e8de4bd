// expect: a model has no member that is a reference or has no default value: every member is held by value
// expect: Model
#include "weft/core/field.hpp"

inline constexpr int other = 0;

struct Model {
  int first = 0;
#ifdef WEFT_FIXED
  int shared = other;
#else
  const int& shared = other;
#endif
  int last = 0;
};
static_assert(weft::field_count<Model>() == 3);
