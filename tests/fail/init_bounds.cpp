// wrote: nn::init::Uniform<1, -1, 10>
// write: nn::init::Uniform<-1, 1, 10>
// expect: Uniform<1, -1, 10>
// first-error: the lower bound stands in front of the upper
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<4>, nn::init::Uniform<-1, 1, 10>> w;
#else
  nn::Param<f32, Shape<4>, nn::init::Uniform<1, -1, 10>> w;
#endif
};

int main() { Model<Net> model; }
