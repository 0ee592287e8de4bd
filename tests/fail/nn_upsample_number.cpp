// wrote: nn::Upsample<2> up;
// write: nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}> up;
// expect: Upsample<2>
// first-error: nn::Upsample takes its settings by name
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}> up;
  constexpr auto operator()(auto x) const { return up(x); }
#else
  nn::Upsample<2> up;
  constexpr auto operator()(auto x) const { return up(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 3, 4, 4>);
}
