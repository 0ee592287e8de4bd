// wrote: multinomial<5>(p), p of 3 classes
// write: multinomial<5>(p, replacement)
// expect: Shape<3>
// first-error: multinomial draws different classes
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto p) { return multinomial<5>(p, replacement); }, in<f32, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto p) { return multinomial<5>(p); }, in<f32, 3>);
#endif
}
