// wrote: dropout<0.1f>(x)
// write: dropout(x, 0.1f)
// expect: DropoutOp
// first-error: this operation takes nothing in <>
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return dropout(x, 0.1f); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return dropout<0.1f>(x); }, in<f32, 4, 8>);
#endif
}
