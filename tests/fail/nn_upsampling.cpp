// wrote: nn::UpsamplingNearest2d<2> up;
// write: nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}> up;
// expect: UpsampleIsOne
// first-error: resizing is one layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}> fc;
#else
  nn::UpsamplingNearest2d<2> fc;
#endif
  constexpr auto operator()(auto x) const { return fc(reshape<1, 1, 4, 8>(x)); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
