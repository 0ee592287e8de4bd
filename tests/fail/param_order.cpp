// wrote: nn::Param<Shape<8>, f32> scale
// write: nn::Param<f32, Shape<8>> scale
// expect: Shape<8>
// first-error: a parameter or buffer has the type of its elements first and then its shape:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<8>> scale;
#else
  nn::Param<Shape<8>, f32> scale;
#endif
  constexpr auto operator()(auto x) const { return x * scale; }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 4, 8>);
  (void)f;
}
