// wrote: Tensor<f32, Shape<3, 2>> y = f(std::vector<float>(6));
// write: Tensor<f32, Shape<2, 3>> y = f(std::vector<float>(6));
// expect: Shape<2, 3>
// expect: Shape<3, 2>
// first-error: a tensor is made of one of its own dtype and shape: write auto y =
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  Tensor<f32, Shape<2, 3>> y = f(std::vector<float>(6));
#else
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 2, 3>);
  Tensor<f32, Shape<3, 2>> y = f(std::vector<float>(6));
#endif
}
