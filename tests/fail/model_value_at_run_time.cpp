// wrote: float rate = std::stof(text);  // a model's member
// write: in<f32>
// expect: its members' default values and constructors must be constexpr
// nvcc: expression must have a constant value
// first-error: ModelIsConstant<Net>
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;
float rate_of_run();
struct Net {
  nn::Linear<8, 4> fc;
#ifndef WEFT_FIXED
  float rate = rate_of_run();
#else
  float rate = 0.5f;
#endif
  constexpr auto operator()(auto x) const { return fc(x) * rate; }
};
Model<Net> model;
