// expect: the groups of a convolution do not divide its channels and its outputs
// first-error: the groups of a convolution do not divide its channels and its outputs
#include "weft/exec/model.hpp"
#include "weft/nn/conv.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<4, 16, 3, nn::ConvOptions{.groups = 2}> conv{};
#else
  nn::Conv2d<4, 16, 3, nn::ConvOptions{.groups = 3}> conv{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.conv(x); }, in<f32, 8, 4, 28, 28>);
}
