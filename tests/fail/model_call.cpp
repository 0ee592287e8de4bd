// wrote: auto y = model(x);
// write: auto f = compile(model, [](const auto& net, auto h) { return net(h); }, in<f32, 4, 8>); auto y = ...
// expect: Net
// first-error: a Model is called by a function of it: auto f = compile(model,
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
  Tensor<f32, Shape<4, 8>> x;
  auto f = compile(
      model, [](const auto& net, auto h) { return net(h); }, in<f32, 4, 8>);
  auto y = f(x);
#else
  Model<Net> model;
  Tensor<f32, Shape<4, 8>> x;
  auto y = model(x);
#endif
}
