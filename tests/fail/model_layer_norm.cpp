// wrote: nn::LayerNorm<4> norm;
// write: nn::LayerNorm<8> norm;
// expect: Shape<4, 8>
// expect: Shape<4>
// first-error: the input's shape does not fit the normalisation: its last axes
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::LayerNorm<8> norm;
  constexpr auto operator()(auto x) const { return norm(x); }
};
#else
struct Net {
  nn::LayerNorm<4> norm;
  constexpr auto operator()(auto x) const { return norm(x); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
