// wrote: auto f = compile(Cpu{}, [](float x) { return x * 2; }, in<f32, 3>);
// write: auto f = compile(Cpu{}, [](auto x) { return x * 2; }, in<f32, 3>);
// expect: Shape<3>
// first-error: the function cannot be called with these inputs: it takes one
// nvcc: take auto, constexpr auto operator()(auto x) const, no Tensor, no float
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 3>);
#else
  auto f = compile(
      Cpu{}, [](float x) { return x * 2; }, in<f32, 3>);
#endif
}
