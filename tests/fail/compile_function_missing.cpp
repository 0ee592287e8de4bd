// wrote: compile(model, in<f32, 4, 8>)
// write: compile(model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>)
// expect: Input<float,
// first-error: compile: the function comes before the inputs
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> n;
  constexpr auto operator()(auto x) const { return n(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
#ifdef WEFT_FIXED
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>);
#else
  auto f = compile(model, in<f32, 4, 8>);
#endif
}
