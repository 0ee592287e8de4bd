// wrote: nn::LSTM<8, 16, nn::Recurrent{.num_layers = 0}>
// write: nn::LSTM<8, 16, nn::Recurrent{.num_layers = 2}>
// expect: GivenSize<0>
// first-error: RNN, GRU and LSTM have one layer or more
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LSTM<8, 16, nn::Recurrent{.num_layers = 2}> lstm{};
#else
  nn::LSTM<8, 16, nn::Recurrent{.num_layers = 0}> lstm{};
#endif
  constexpr auto operator()(auto x) const { return std::get<0>(lstm(x)); }
};

int main() { Model<Net> model; }
