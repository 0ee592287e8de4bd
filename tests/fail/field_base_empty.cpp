// expect: a model has no base class: leave it out, or make it a member
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
inline constexpr auto count = weft::field_count<Model>();
