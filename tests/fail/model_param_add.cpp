// wrote: nn::Param<f32, Shape<4>> weight;
// write: nn::Param<f32, Shape<8>> weight;
// expect: Shape<4, 8>
// expect: Shape<4>
// first-error: the shapes do not broadcast: two extents of the same axis must be
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Param<f32, Shape<8>> weight;
  constexpr auto operator()(auto x) const { return x + weight; }
};
#else
struct Net {
  nn::Param<f32, Shape<4>> weight;
  constexpr auto operator()(auto x) const { return x + weight; }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
