// wrote: nn::Conv2d<3, 8, PerAxis{3, 5, 7}>
// write: nn::Conv2d<3, 8, PerAxis{3, 5}>
// expect: window is one number for all axes
// first-error: a convolution's window is one number for all axes, or one for each
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 8, PerAxis{3, 5}> n;
#else
  nn::Conv2d<3, 8, PerAxis{3, 5, 7}> n;
#endif
  constexpr auto operator()(auto x) const { return n(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 3, 16, 16>);
}
