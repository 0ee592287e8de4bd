// wrote: lstm(x, h)
// write: lstm(x, std::tuple{h, c})
// expect: LstmStep
// first-error: for nn::LSTM a tuple of two
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::LSTM<8, 16> lstm;
  constexpr auto operator()(auto x, auto h, auto c) const {
#ifdef WEFT_FIXED
    auto [y, state] = lstm(x, std::tuple{h, c});
    return y;
#else
    auto [y, state] = lstm(x, h);
    return y;
#endif
  }
};

int main() {
  Model<Net> model{Cpu{}, 0};
  auto f = compile(
      model, [](const auto& m, auto... x) { return m(x...); }, in<f32, 4, 5, 8>, in<f32, 1, 5, 16>,
      in<f32, 1, 5, 16>);
}
