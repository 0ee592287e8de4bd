// wrote: nn::RNN<8, 16, nn::Recurrent{.nonlinearity = "relu"}> n;
// write: nn::RNN<8, 16, nn::Recurrent{.nonlinearity = nn::Nonlinearity::relu}> n;
// expect: Nonlinearity
// first-error: a word among the options is an enumerator
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::RNN<8, 16, nn::Recurrent{.nonlinearity = nn::Nonlinearity::relu}> n;
  constexpr auto operator()(auto x) const { return std::get<0>(n(x)); }
#else
  nn::RNN<8, 16, nn::Recurrent{.nonlinearity = "relu"}> n;
  constexpr auto operator()(auto x) const { return std::get<0>(n(x)); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 2, 8>);
}
