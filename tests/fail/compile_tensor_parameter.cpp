// wrote: auto f = compile(Cpu{}, [](Tensor<f32, Shape<3>> x) { return x * 2; }, in<f32, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 3>);
// expect: the function cannot be called with these inputs
// first-error: it takes one parameter, auto x, for each
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 3>);
#else
  auto f = compile(
      Cpu{}, [](Tensor<f32, Shape<3> > x) { return x * 2; }, in<f32, 3>);
#endif
}
