// wrote: nn::Param<f32, Shape<4>, nn::init::Normal<0, 1>>, meant as mean and deviation
// write: nn::init::Normal<>
// expect: Normal<0, 1>
// first-error: nn::init::Normal<Numerator, Denominator>, TruncNormal: the mean is 0
#include "weft/exec/model.hpp"
#include "weft/nn/init.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<4>, nn::init::Normal<>> w;
#else
  nn::Param<f32, Shape<4>, nn::init::Normal<0, 1>> w;
#endif
};

int main() { Model<Net> model; }
