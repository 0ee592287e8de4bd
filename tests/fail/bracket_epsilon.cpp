// wrote: layer_norm<1e-5>(x)
// write: layer_norm<8>(x, weight, bias, 1e-5f)
// expect: axes and sizes, integers
// first-error: axes and sizes, integers
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return layer_norm<8>(x, w, w, 1e-5f); }, in<f32, 4, 8>, in<f32, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto w) { return layer_norm<1e-5>(x, w, w); }, in<f32, 4, 8>, in<f32, 8>);
#endif
}
