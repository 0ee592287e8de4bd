// A default value that does not compile is the compiler's, and nothing follows it.
// expect: rate
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
struct Net {
  nn::Linear<8, 8> fc;
#ifndef WEFT_FIXED
  nn::Dropout drop{.rate = 0.1f};
#else
  nn::Dropout drop{.p = 0.1f};
#endif
  constexpr auto operator()(auto x) const { return drop(fc(x)); }
};
auto f = compile<Net>(
    Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
