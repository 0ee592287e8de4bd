// wrote: nn::ConvOptions{.padding = "full"}
// write: nn::ConvOptions{.padding = "same"}
// expect: ConvOp<2
// first-error: the options of a convolution
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.padding = "same"}> n;
#else
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.padding = "full"}> n;
#endif
  constexpr auto operator()(auto x) const { return n(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 3, 16, 16>);
}
