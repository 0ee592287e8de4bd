// wrote: Tensor<f32, Shape<2, 3>> t; auto f = compile(Cpu{}, [](auto x) { return x * 2; }, t);
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
// expect: Shape<2, 3>
// first-error: compile: after the inputs it takes a precision, mode::train or
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
#else
  Tensor<f32, Shape<2, 3> > t;
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, t);
#endif
}
