// wrote: softplus<2>(x)
// write: softplus(x, 2)
// expect: this operation takes nothing in <>
// first-error: this operation takes nothing in <>
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return softplus(x, 2); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return softplus<2>(x); }, in<f32, 4, 8>);
#endif
}
