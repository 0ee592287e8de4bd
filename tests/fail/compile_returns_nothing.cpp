// wrote: auto f = compile(Cpu{}, [](auto x) { x * 2; }, in<f32, 2, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
// expect: void
// first-error: a compiled function returns an expression, or a std::tuple or
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { x * 2; }, in<f32, 2, 3>);
#endif
}
