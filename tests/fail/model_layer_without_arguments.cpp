// A member that does not compile is the compiler's, and nothing follows it.
// expect: Linear
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
struct Net {
#ifndef WEFT_FIXED
  nn::Linear fc{8, 4};
#else
  nn::Linear<8, 4> fc;
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};
auto f = compile<Net>(
    Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
