// wrote: auto f = compile(Cpu{}, [](auto x) { return x + bias; }, in<f32, 2, 3>);
// write: ... compile(Cpu{}, [](auto x, auto b) { return x + b; }, in<f32, 2, 3>, in<f32, 3>);
// expect: Shape<3>
// first-error: a run-time Tensor cannot be used inside a traced function: make it an
#include "weft/weft.hpp"
using namespace weft;

inline Tensor<f32, Shape<3>> bias;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto b) { return x + b; }, in<f32, 2, 3>, in<f32, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x + bias; }, in<f32, 2, 3>);
#endif
}
