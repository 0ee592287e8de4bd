// wrote: Tensor<f32, Shape<3>> b; auto f = compile(Cpu{}, [&](auto x) { return x + b; }, in<f32, 2, 3>);
// write: auto f = compile(Cpu{}, [](auto x, auto b) { return x + b; }, in<f32, 2, 3>, in<f32, 3>);
// expect: error
// first-error: a compiled function must capture nothing: make run-time values inputs
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto b) { return x + b; }, in<f32, 2, 3>, in<f32, 3>);
#else
  Tensor<f32, Shape<3> > b;
  auto f = compile(
      Cpu{}, [&](auto x) { return x + b; }, in<f32, 2, 3>);
#endif
}
