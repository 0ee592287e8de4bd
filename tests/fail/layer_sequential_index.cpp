// wrote: net[0](x)
// write: std::get<0>(net.layers)(x)
// expect: LayerIsByNumber
// first-error: the layers of a Sequential are of different types
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Sequential<nn::Linear<8, 4>, nn::ReLU> layer;
  constexpr auto first(auto x) const { return std::get<0>(layer.layers)(x); }
#else
  nn::Sequential<nn::Linear<8, 4>, nn::ReLU> layer;
  constexpr auto first(auto x) const { return layer[0](x); }
#endif
  constexpr auto operator()(auto x) const { return first(x); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
