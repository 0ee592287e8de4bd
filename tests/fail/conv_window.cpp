// expect: the window of a convolution is larger than the padded input
// expect: Shape<8, 3, 4, 28>
// first-error: the window of a convolution is larger than the padded input
#include "weft/exec/model.hpp"
#include "weft/nn/conv.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 16, 7, nn::ConvOptions{.padding = 2}> conv{};
#else
  nn::Conv2d<3, 16, 7, nn::ConvOptions{.padding = 1}> conv{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.conv(x); }, in<f32, 8, 3, 4, 28>);
}
