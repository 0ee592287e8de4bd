// expect: a model is a plain struct: no constructor, no private member, no virtual function
// expect: Model
#include "weft/core/field.hpp"

class Model {
#ifdef WEFT_FIXED
 public:
#endif
  int weight = 0;
};
inline constexpr auto count = weft::field_count<Model>();
