// wrote: nn::BatchNorm1d<8> norm;
// write: nn::BatchNorm1d<16> norm;
// expect: Shape<4, 16>
// expect: Shape<8>
// first-error: the input's shape does not fit the normalisation: its last axes
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Linear<8, 16> fc;
  nn::BatchNorm1d<16> norm;
  constexpr auto operator()(auto x) const { return norm(fc(x)); }
};
#else
struct Net {
  nn::Linear<8, 16> fc;
  nn::BatchNorm1d<8> norm;
  constexpr auto operator()(auto x) const { return norm(fc(x)); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
