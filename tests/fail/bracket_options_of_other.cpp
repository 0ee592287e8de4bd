// wrote: max_pool2d<2, ConvOptions{.stride = 1}>(x)
// write: max_pool2d<2, PoolOptions{.stride = 1}>(x)
// expect: its own options
// first-error: its own options
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return max_pool2d<2, PoolOptions{.stride = 1}>(x); }, in<f32, 1, 2, 8, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return max_pool2d<2, ConvOptions{.stride = 1}>(x); }, in<f32, 1, 2, 8, 8>);
#endif
}
