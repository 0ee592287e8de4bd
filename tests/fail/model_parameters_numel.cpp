// wrote: for (auto& p : model.parameters()) n += p.numel();
// write: model.parameter_count()
// expect: StateIsNamed<
// first-error: one parameter is model.get<
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<3, 3> fc;
};

int main() {
  Model<Net> model;
  i64 count = 0;
#ifdef WEFT_FIXED
  count = model.parameter_count();
#else
  for (auto& p : model.parameters()) count += p.numel();
#endif
  return count > 0 ? 0 : 1;
}
