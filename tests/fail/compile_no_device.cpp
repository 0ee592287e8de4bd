// wrote: auto f = compile([](auto x) { return x * 2; }, in<f32, 2, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
// expect: error
// first-error: compile: the device, or the model, is the first argument and the function the second
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
#else
  auto f = compile([](auto x) { return x * 2; }, in<f32, 2, 3>);
#endif
}
