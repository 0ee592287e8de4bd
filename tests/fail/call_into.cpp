// wrote: Tensor<f32, Shape<3>> y;
// write: Tensor<f32, Shape<2, 3>> y;
// expect: Shape<3>
// expect: Shape<2, 3>
// first-error: into: a result is written to a tensor, a view, an array, a container
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  Tensor<f32, Shape<2, 3>> y;
  f.into(y)(std::vector<float>(6));
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  Tensor<f32, Shape<3>> y;
  f.into(y)(std::vector<float>(6));
#endif
}
