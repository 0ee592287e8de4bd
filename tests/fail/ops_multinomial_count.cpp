// wrote: multinomial(p, 1)
// write: multinomial<1>(p)
// expect: multinomial
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return multinomial<1>(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return multinomial(x, 1); }, in<f32, 4, 8>);
#endif
}
