// wrote: cast<short>(x)
// write: cast<i32>(x)
// expect: ElementHasDtype<short
// first-error: elements are f64, f32,
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return cast<i32>(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return cast<short>(x); }, in<f32, 4, 8>);
#endif
}
