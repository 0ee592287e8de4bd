// wrote: nn::Param<f32, Shape<3>> scale{1.0f, 1.0f, 1.0f};
// write: nn::Param<f32, Shape<3>, nn::init::Ones> scale;
// expect: Shape<3>
// first-error: a parameter's starting value is its third template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<3>, nn::init::Ones> scale;
#else
  nn::Param<f32, Shape<3> > scale{1.0f, 1.0f, 1.0f};
#endif
  constexpr auto operator()(auto x) const { return fc(x) * scale; }
};

int main() { auto f = compile<Net>(Cpu{}, in<f32, 4, 8>); }
