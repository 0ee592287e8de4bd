// wrote: nn::GRU<8, 16, nn::Recurrent{.proj_size = 4}> n;
// write: nn::GRU<8, 16> n;
// expect: GruStep
// first-error: proj_size is a setting of nn::LSTM
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::GRU<8, 16> n;
  constexpr auto operator()(auto x) const { return std::get<0>(n(x)); }
#else
  nn::GRU<8, 16, nn::Recurrent{.proj_size = 4}> n;
  constexpr auto operator()(auto x) const { return std::get<0>(n(x)); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 2, 8>);
}
