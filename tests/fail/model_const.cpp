// wrote: const Model<Net> model;
// write: Model<Net> model;
// expect: Net
// first-error: compile: the function assigns a buffer of the model, and the model is
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::BatchNorm1d<8> norm;
  constexpr auto operator()(auto x) const { return norm(x); }
};

int main() {
#ifdef WEFT_FIXED
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>, mode::train);
#else
  const Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>, mode::train);
#endif
}
