// wrote: in<f32>(2, 8)
// write: in<f32, 2, 8>
// expect: a tensor has its shape in its type
// first-error: in<f32, 2, 3>
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x + 1; }, in<f32, 2, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + 1; }, in<f32>(2, 8));
#endif
  static_cast<void>(f);
}
