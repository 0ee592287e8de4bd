// wrote: nn::TransformerEncoderLayer<64, 8, 128> layer;
// write: nn::TransformerEncoderLayer<64, 8, nn::TransformerOptions{.dim_feedforward = 128}> layer;
// expect: are followed by one options struct
// nvcc: no suitable constructor exists to convert
// first-error: OptionsAreOne
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
struct Net {
#ifndef WEFT_FIXED
  nn::TransformerEncoderLayer<64, 8, 128> layer;
#else
  nn::TransformerEncoderLayer<64, 8, nn::TransformerOptions{.dim_feedforward = 128}> layer;
#endif
  constexpr auto operator()(auto x) const { return layer(x); }
};
Model<Net> model;
