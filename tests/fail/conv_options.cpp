// expect: the options of a convolution
// first-error: the options of a convolution
#include "weft/exec/function.hpp"
#include "weft/ops/nn/conv.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr ConvOptions options{.padding = "same"};
#else
constexpr ConvOptions options{.stride = 2, .padding = "same"};
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return conv2d<options>(x, w); }, in<f32, 8, 4, 28, 28>,
      in<f32, 16, 4, 3, 3>);
}
