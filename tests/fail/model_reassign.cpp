// wrote: x = relu(fc1(x)); return fc2(x);
// write: auto h = relu(fc1(x)); return fc2(h);
// expect: Shape<4, 8>
// expect: Shape<4, 16>
// first-error: a value keeps its shape and dtype: write auto h = fc1(x)
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const {
    auto h = relu(fc1(x));
    return fc2(h);
  }
};
#else
struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const {
    x = relu(fc1(x));
    return fc2(x);
  }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
