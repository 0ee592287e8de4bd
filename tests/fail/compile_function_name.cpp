// wrote: compile(Cpu{}, mse_loss, in<f32, 4>, in<f32, 4>)
// write: compile(Cpu{}, [](auto x, auto y) { return mse_loss(x, y); }, in<f32, 4>, in<f32, 4>)
// expect: Shape<4>
// first-error: a function of many forms
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return mse_loss(x, y); }, in<f32, 4>, in<f32, 4>);
#else
  auto f = compile(Cpu{}, mse_loss, in<f32, 4>, in<f32, 4>);
#endif
}
