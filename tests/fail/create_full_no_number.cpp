// wrote: x + full<f32, 4>()
// write: x + full<f32, 4>(1.5f)
// expect: Shape<4>
// first-error: full takes the number
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x + full<f32, 4>(1.5f); }, in<f32, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + full<f32, 4>(); }, in<f32, 4>);
#endif
}
