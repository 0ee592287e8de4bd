// wrote: trainer.model().get<"fc.bias">() = 0;
// write: model.get<"fc.bias">() = 0; (of make_trainer(model, ...))
// expect: Shape<4>
// first-error: the tensor or model that a view is of is const
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
int main() {
  Model<Net> model;
  const Model<Net>& read = model;
#ifdef WEFT_FIXED
  model.get<"fc.bias">() = 0;
#else
  read.get<"fc.bias">() = 0;
#endif
}
