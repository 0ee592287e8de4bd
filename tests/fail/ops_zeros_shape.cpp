// wrote: zeros<f32>(Shape<4, 8>{})
// write: zeros<f32, 4, 8>()
// expect: zeros
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x + zeros<f32, 4, 8>(); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + zeros<f32>(Shape<4, 8>{}); }, in<f32, 4, 8>);
#endif
}
