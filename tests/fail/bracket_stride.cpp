// wrote: conv2d<2>(x, w)
// write: conv2d<ConvOptions{.stride = 2}>(x, w)
// expect: its own options
// first-error: its own options
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return conv2d<ConvOptions{.stride = 2}>(x, w); }, in<f32, 1, 2, 8, 8>,
      in<f32, 4, 2, 3, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return conv2d<2>(x, w); }, in<f32, 1, 2, 8, 8>, in<f32, 4, 2, 3, 3>);
#endif
}
