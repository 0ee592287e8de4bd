// expect: Shape<8, 3, 4, 4>
// first-error: interpolate takes (N, C, ...) of floats
#include "weft/exec/function.hpp"
#include "weft/ops/nn/interpolate.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr double factor = 0.25;
#else
  constexpr double factor = 0.2;
#endif
  auto f = compile(
      Cpu{}, [](auto x) { return interpolate<InterpolateOptions{.scale_factor = factor}>(x); },
      in<f32, 8, 3, 4, 4>);
}
