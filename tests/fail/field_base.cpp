// expect: a model has no base class: make the base a member instead
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
static_assert(weft::field_count<Model>() == 2);
