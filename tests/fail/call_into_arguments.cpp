// wrote: f.into(x, y);
// write: f.into(y)(x);
// expect: GivenSize<2>
// first-error: f.into(y)(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 8>);
  std::vector<f32> x(8), y(8);
#ifdef WEFT_FIXED
  f.into(y)(x);
#else
  f.into(x, y);
#endif
}
