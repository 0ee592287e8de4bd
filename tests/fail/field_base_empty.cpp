// expect: a model has no base class: make the base a member instead
// expect: Model
#include "weft/core/field.hpp"

struct Module {};
#ifdef WEFT_FIXED
struct Model {
#else
struct Model : Module {
#endif
  int weight = 0;
};
static_assert(weft::field_count<Model>() == 1);
