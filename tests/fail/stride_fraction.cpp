// wrote: nn::Conv2d<2, 4, 3, ConvOptions{.stride = 1.5}>
// write: nn::Conv2d<2, 4, 3, ConvOptions{.stride = 2}>
// expect: is counted in elements: write a whole number
// first-error: is counted in elements: write a whole number
#include "weft/exec/model.hpp"
#include "weft/nn.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<2, 4, 3, ConvOptions{.stride = 2}> conv{};
#else
  nn::Conv2d<2, 4, 3, ConvOptions{.stride = 1.5}> conv{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.conv(x); }, in<f32, 1, 2, 8, 8>);
}
