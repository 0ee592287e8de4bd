// wrote: model.get<"fc.bias">().assign(values)
// write: model.get<"fc.bias">() = values
// expect: Shape<2>
// first-error: assign is of an nn::Buffer in a traced function
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
#ifdef WEFT_FIXED
  model.get<"fc.bias">() = std::vector<f32>{1, 2};
#else
  model.get<"fc.bias">().assign(std::vector<f32>{1, 2});
#endif
}
