// wrote: compile(Cpu{}, in<f32, 4, 8>)
// write: compile(Cpu{}, [](auto x) { return exp(x); }, in<f32, 4, 8>), or compile(model, in<f32, 4, 8>)
// expect: Input<float,
// first-error: compile: the function comes before the inputs
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x); }, in<f32, 4, 8>);
#else
  auto f = compile(Cpu{}, in<f32, 4, 8>);
#endif
}
