// wrote: f(Tensor<f32, Shape<3, 2>>());
// write: f(Tensor<f32, Shape<2, 3>>());
// expect: Shape<3, 2>
// expect: Shape<2, 3>
// first-error: an argument of a call has another dtype, shape or kind than the input
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  f(Tensor<f32, Shape<2, 3>>());
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  f(Tensor<f32, Shape<3, 2>>());
#endif
}
