// wrote: compile<Net>([](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>)
// write: compile<Net>(Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>)
// expect: the device, or the model, is the first argument
// first-error: DeviceIsFirst<Net
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
#ifdef WEFT_FIXED
auto f = compile<Net>(
    Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
#else
auto f = compile<Net>([](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
#endif
