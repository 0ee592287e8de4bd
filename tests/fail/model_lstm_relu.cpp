// wrote: constexpr auto operator()(auto x) const { return relu(lstm(unsqueeze<0>(x))); }
// write: ... operator()(auto x) const { auto [y, state] = lstm(unsqueeze<0>(x)); return relu(y); }
// expect: Shape<1, 4, 16>
// first-error: an operand is a tuple: take it apart first: auto [y, state] =
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::LSTM<8, 16> lstm;
  constexpr auto operator()(auto x) const {
    auto [y, state] = lstm(unsqueeze<0>(x));
    return relu(y);
  }
};
#else
struct Net {
  nn::LSTM<8, 16> lstm;
  constexpr auto operator()(auto x) const { return relu(lstm(unsqueeze<0>(x))); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
