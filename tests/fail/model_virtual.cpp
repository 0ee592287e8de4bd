// wrote: virtual ~Net() = default;
// write: leave it out
// expect: Net
// first-error: a model is a plain struct: no constructor, no private member, no
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
  virtual ~Net() = default;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
