// wrote: arange<f32, 0, 4, 0.5>()
// write: arange<f32, 8>() * 0.5f
// expect: arange counts in integers
// first-error: arange counts in integers
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x + arange<f32, 8>() * 0.5f; }, in<f32, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + arange<f32, 0, 4, 0.5>(); }, in<f32, 8>);
#endif
}
