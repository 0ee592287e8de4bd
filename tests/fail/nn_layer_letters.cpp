// wrote: nn::Conv2D<3, 8, 3> conv;
// write: nn::Conv2d<3, 8, 3> conv;
// expect: the layer is nn::Conv2d<in, out, window>
// first-error: the layer is nn::Conv2d
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 8, 3> conv;
#else
  nn::Conv2D<3, 8, 3> conv;
#endif
  constexpr auto operator()(auto x) const { return relu(conv(x)); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 2, 3, 8, 8>);
}
