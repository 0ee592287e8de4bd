// wrote: nn::LSTM<8, 16, 2> lstm;
// write: nn::LSTM<8, 16, nn::Recurrent{.num_layers = 2}> lstm;
// expect: are followed by one options struct
// nvcc: no suitable constructor exists to convert
// first-error: OptionsAreOne
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
struct Net {
#ifndef WEFT_FIXED
  nn::LSTM<8, 16, 2> lstm;
#else
  nn::LSTM<8, 16, nn::Recurrent{.num_layers = 2}> lstm;
#endif
  constexpr auto operator()(auto x) const { return std::get<0>(lstm(x)); }
};
Model<Net> model;
