// wrote: nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<8, 3>> layers;
// write: nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 3>> layers;
// expect: Shape<4, 16>
// expect: Shape<3, 8>
// first-error: the extents of the contracted axes differ
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 3>> layers;
  constexpr auto operator()(auto x) const { return layers(x); }
};
#else
struct Net {
  nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<8, 3>> layers;
  constexpr auto operator()(auto x) const { return layers(x); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
