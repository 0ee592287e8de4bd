// wrote: compile(Cpu{}, f, in<f32, 4, 8>())
// write: compile(Cpu{}, f, in<f32, 4, 8>)
// expect: Shape<4, 8>
// first-error: in<...> is not called
#include "weft/exec/function.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x + 1; }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + 1; }, in<f32, 4, 8>());
#endif
}
