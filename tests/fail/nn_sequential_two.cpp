// wrote: body(x, x) of a Sequential
// write: body(x)
// expect: Sequential<
// first-error: nn::Sequential hands one value from layer to layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Sequential<nn::Linear<8, 4>, nn::ReLU> body;
  constexpr auto operator()(auto x) const { return body(x); }
#else
  nn::Sequential<nn::Linear<8, 4>, nn::ReLU> body;
  constexpr auto operator()(auto x) const { return body(x, x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 8>);
}
