// wrote: nn::LSTM<8> lstm;
// write: nn::LSTM<8, 16> lstm;
// expect: spelled::LSTM
// first-error: a layer's sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LSTM<8, 16> layer;
#else
  nn::LSTM<8> layer;
#endif
  constexpr auto operator()(auto x) const { return std::get<0>(layer(x)); }
};
int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 2, 8>);
}
