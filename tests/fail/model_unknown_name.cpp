// expect: the model has no parameter or buffer of this name
// expect: fc.weigth
// first-error: the model has no parameter or buffer of this name
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto weight = model.get<"fc.weight">();
#else
  auto weight = model.get<"fc.weigth">();
#endif
  return weight.data() == nullptr;
}
