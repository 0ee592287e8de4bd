// wrote: dropout(x, 1.5f)
// write: dropout(x, 0.5f)
// expect: FunctionSource
// first-error: the rate of a dropout is the share
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return dropout(x, 0.5f); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return dropout(x, 1.5f); }, in<f32, 4, 8>);
#endif
}
