// wrote: nn::Bilinear<8, 8, 4> n; n(x)
// write: n(x1, x2)
// expect: Bilinear<8, 8, 4
// first-error: the layer takes more than one value
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Bilinear<8, 8, 4> n;
  constexpr auto operator()(auto x) const { return n(x, x); }
#else
  nn::Bilinear<8, 8, 4> n;
  constexpr auto operator()(auto x) const { return n(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 8>);
}
