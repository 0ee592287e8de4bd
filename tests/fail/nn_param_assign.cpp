// wrote: fc.weight = w;  // in operator()
// write: nn::Buffer<f32, Shape<8, 8>> seen; ... seen.assign(w);
// expect: a Param is set by the optimiser
// first-error: ParamIsTrained<
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc;
  constexpr auto operator()(auto x) const {
#ifndef WEFT_FIXED
    fc.weight = x;
#endif
    return fc(x);
  }
};
auto f = compile<Net>(
    Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 8, 8>);
