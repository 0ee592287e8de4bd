// wrote: nn::Sequential<nn::Linear<8, 4>, nn::ReLU> body{nn::Linear(8, 4), nn::ReLU()};
// write: nn::Sequential<nn::Linear<8, 4>, nn::ReLU> body{};
// expect: spelled::Linear
// first-error: a layer's sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Sequential<nn::Linear<8, 4>, nn::ReLU> body{};
  constexpr auto operator()(auto x) const { return body(x); }
#else
  nn::Sequential<nn::Linear<8, 4>, nn::ReLU> body{nn::Linear(8, 4), nn::ReLU()};
  constexpr auto operator()(auto x) const { return body(x); }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
