// wrote: auto f = compile("cpu", [](auto x) { return x * 2; }, in<f32, 2, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
// expect: error
// first-error: compile: it takes a device or a Model, of a trainer
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
#else
  auto f = compile(
      "cpu", [](auto x) { return x * 2; }, in<f32, 2, 3>);
#endif
}
