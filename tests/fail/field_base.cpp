// expect: a model has no base class: leave it out, or make it a member
// expect: Model
#include "weft/core/field.hpp"

struct Base {
  int first = 0;
};
#ifdef WEFT_FIXED
struct Model {
  Base base;
#else
struct Model : Base {
#endif
  int last = 0;
};
inline constexpr auto count = weft::field_count<Model>();
