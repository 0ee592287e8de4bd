// wrote: nn::Sequential<nn::LSTM<8, 16>, nn::Linear<16, 4>> body;
// write: auto [y, state] = lstm(x); return fc(y);
// expect: LstmStep
// first-error: nn::Sequential hands one value from layer to layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LSTM<8, 16> lstm;
  nn::Linear<16, 4> fc;
  constexpr auto operator()(auto x) const {
    const auto [y, state] = lstm(x);
    return fc(y);
  }
#else
  nn::Sequential<nn::LSTM<8, 16>, nn::Linear<16, 4> > body;
  constexpr auto operator()(auto x) const { return body(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 2, 8>);
}
