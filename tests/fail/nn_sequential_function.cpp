// wrote: nn::Sequential<nn::Linear<8, 16>, nn::ReLU()> n;
// write: nn::Sequential<nn::Linear<8, 16>, nn::ReLU> n;
// expect: nn::ReLU
// first-error: the layers in <> are types
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Sequential<nn::Linear<8, 16>, nn::ReLU> n;
#else
  nn::Sequential<nn::Linear<8, 16>, nn::ReLU()> n;
#endif
  constexpr auto operator()(auto x) const { return n(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>);
}
