// wrote: x.template to<f16>()
// write: cast<f16>(x)
// expect: spelled::to
// first-error: a traced value has no .to()
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return cast<f16>(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x.template to<f16>(); }, in<f32, 4, 8>);
#endif
}
