// wrote: nn::Conv2d<3, 8, 3, 2, 1> conv;
// write: nn::Conv2d<3, 8, 3, nn::ConvOptions{.stride = 2, .padding = 1}> conv;
// expect: are followed by one options struct: write Conv2d<3, 8, 3, ConvOptions{.stride = 2, .padding = 1}>
// nvcc: no suitable constructor exists to convert
// first-error: OptionsAreOne
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
struct Net {
#ifndef WEFT_FIXED
  nn::Conv2d<3, 8, 3, 2, 1> conv;
#else
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.stride = 2, .padding = 1}> conv;
#endif
  constexpr auto operator()(auto x) const { return conv(x); }
};
Model<Net> model;
