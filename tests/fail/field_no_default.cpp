// expect: a model has no member that is a reference or has no default value: hold every member by value
// expect: Model
#include "weft/core/field.hpp"

struct Setting {
  constexpr explicit Setting(int v) : value(v) {}
  int value;
};
struct Model {
#ifdef WEFT_FIXED
  Setting setting{3};
#else
  Setting setting;
#endif
};
inline constexpr auto count = weft::field_count<Model>();
