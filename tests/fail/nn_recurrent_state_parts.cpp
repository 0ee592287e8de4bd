// wrote: lstm(x, h, c)
// write: lstm(x, std::tuple{h, c})
// expect: LstmStep
// first-error: the state of a recurrent layer is one argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::LSTM<8, 16> lstm;
  constexpr auto operator()(auto x, auto h, auto c) const {
#ifdef WEFT_FIXED
    auto [y, state] = lstm(x, std::tuple{h, c});
#else
    auto [y, state] = lstm(x, h, c);
#endif
    return y;
  }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x, auto h, auto c) { return m(x, h, c); }, in<f32, 5, 4, 8>,
      in<f32, 1, 4, 16>, in<f32, 1, 4, 16>);
}
