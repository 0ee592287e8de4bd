// wrote: ... { return fc(conv(unsqueeze<1>(unsqueeze<1>(x)))); }
// write: ... { return fc(flatten<1>(conv(unsqueeze<1>(unsqueeze<1>(x))))); }
// expect: Shape<4, 4, 1, 8>
// expect: Shape<3, 32>
// first-error: the extents of the contracted axes differ
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Conv2d<1, 4, 1> conv;
  nn::Linear<32, 3> fc;
  constexpr auto operator()(auto x) const { return fc(flatten<1>(conv(unsqueeze<1>(unsqueeze<1>(x))))); }
};
#else
struct Net {
  nn::Conv2d<1, 4, 1> conv;
  nn::Linear<32, 3> fc;
  constexpr auto operator()(auto x) const { return fc(conv(unsqueeze<1>(unsqueeze<1>(x)))); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
