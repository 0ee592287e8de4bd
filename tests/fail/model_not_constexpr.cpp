// wrote: auto operator()(auto x) const { return fc2(relu(fc1(x))); }
// write: constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
// expect: Shape<4, 8>
// first-error: the function cannot run while the program compiles (with -DWEFT_TRACE_ERRORS
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
#else
struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
