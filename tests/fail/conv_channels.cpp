// expect: the operands of a convolution do not fit
// expect: Shape<8, 4, 28, 28>
// expect: Shape<16, 3, 3, 3>
// first-error: the operands of a convolution do not fit
#include "weft/exec/model.hpp"
#include "weft/nn/conv.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<4, 16, 3> conv{};
#else
  nn::Conv2d<3, 16, 3> conv{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.conv(x); }, in<f32, 8, 4, 28, 28>);
}
