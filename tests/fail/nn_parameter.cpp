// wrote: nn::Parameter<f32, Shape<8>> scale;
// write: nn::Param<f32, Shape<8>> scale;
// expect: a parameter is nn::Param<f32, Shape<4, 8>>, with an initialiser as a third argument
// first-error: a parameter is nn::Param<f32, Shape<4, 8>>
#include "weft/weft.hpp"
using namespace weft;

struct Scale {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<8>> scale;
#else
  nn::Parameter<f32, Shape<8>> scale;
#endif
  constexpr auto operator()(auto x) const { return x * scale; }
};

int main() {
  auto f = compile<Scale>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
