// wrote: auto f = compile([](auto x) { return exp(x); }, Cpu{}, in<f32, 4>);
// write: auto f = compile(Cpu{}, [](auto x) { return exp(x); }, in<f32, 4>);
// expect: Cpu
// first-error: the device, or the model, is the first argument and the function the second
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, 4>);
#else
  auto f = compile([](auto x) { return exp(x); }, Cpu{}, in<f32, 4>);
#endif
}
