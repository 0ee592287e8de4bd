// expect: a model has no member that is a reference or has no default value: hold every member by value
// expect: Model
#include "weft/core/field.hpp"

inline constinit int other = 0;

struct Model {
  int first = 0;
#ifdef WEFT_FIXED
  int shared = 0;
#else
  int& shared = other;
#endif
  int last = 0;
};
inline constexpr auto count = weft::field_count<Model>();
