// wrote: zeros<2, 3>()
// write: zeros<f32, 2, 3>()
// expect: dtype and shape are template arguments
// first-error: dtype and shape are template arguments
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x + zeros<f32, 2, 3>(); }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + zeros<2, 3>(); }, in<f32, 2, 3>);
#endif
}
