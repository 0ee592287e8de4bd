// wrote: max_pool2d<2.5>(x)
// write: max_pool2d<2>(x)
// expect: is counted in elements: write a whole number
// first-error: is counted in elements: write a whole number
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return max_pool2d<2>(x); }, in<f32, 2, 3, 8, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return max_pool2d<2.5>(x); }, in<f32, 2, 3, 8, 8>);
#endif
}
