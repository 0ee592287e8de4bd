// wrote: select<1>(x)
// write: select<1, 0>(x)
// expect: select<int Axis, i64 Place>(x)
// first-error: no form of this operation takes
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return select<1, 0>(x); }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return select<1>(x); }, in<f32, 2, 3>);
#endif
}
