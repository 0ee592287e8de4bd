// wrote: float scale = 2; auto f = compile(model, [scale](const auto& net, auto x) { return net(x) * scal ...
// write: auto f = compile(model, [](const auto& net, auto x, auto scale) { return net(x) * scale; }, in<f ...
// expect: error
// first-error: a compiled function must capture nothing: make run-time values inputs
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x, auto scale) { return net(x) * scale; }, in<f32, 4, 8>, in<f32>);
#else
  Model<Net> model;
  float scale = 2;
  auto f = compile(
      model, [scale](const auto& net, auto x) { return net(x) * scale; }, in<f32, 4, 8>);
#endif
}
