// wrote: index(x, every, 8)  // of an axis of 8
// write: index(x, every, 7)
// expect: FunctionSource
// first-error: no place of its axis
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, every, 7); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, every, 8); }, in<f32, 4, 8>);
#endif
}
