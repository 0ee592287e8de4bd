// wrote: auto f = compile(Cpu{}, [](auto x) { return exp(x); }, in<f32, -1, 8>);
// write: auto f = compile(Cpu{}, [](auto x) { return exp(x); }, in<f32, 32, 8>);
// expect: float
// first-error: every extent is known while compiling
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, 32, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, -1, 8>);
#endif
}
