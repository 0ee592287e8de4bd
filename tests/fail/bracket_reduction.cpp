// wrote: mse_loss<reduce::sum>(x, y)
// write: mse_loss<reduction::sum>(x, y)
// expect: is first its reduction
// first-error: is first its reduction
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return mse_loss<reduction::sum>(x, x * x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return mse_loss<reduce::sum>(x, x * x); }, in<f32, 4, 8>);
#endif
}
