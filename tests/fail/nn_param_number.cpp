// wrote: nn::Param<f32, Shape<8>> scale = 1.0f;
// write: nn::Param<f32, Shape<8>, nn::init::Ones> scale;
// expect: Param<float,
// first-error: starting value is its third template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<8>, nn::init::Ones> scale;
  constexpr auto operator()(auto x) const { return scale * x; }
#else
  nn::Param<f32, Shape<8> > scale = 1.0f;
  constexpr auto operator()(auto x) const { return scale * x; }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 8>);
}
