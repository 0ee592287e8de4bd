// wrote: Model<Net> model; model.eval();
// write: auto f = compile<Net>(Cpu{}, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>, mode ...
// expect: Net
// first-error: the mode is an option of compile, mode::train or mode::eval (the
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  auto f = compile<Net>(
      Cpu{}, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>, mode::eval);
#else
  Model<Net> model;
  model.eval();
#endif
}
