// wrote: std::function<Tensor<f32, Shape<8>>(Tensor<f32, Shape<8>>)> f = compile(...);
// write: Function<Tensor<f32, Shape<8>>(Tensor<f32, Shape<8>>)> f = compile(...);
// expect: Shape<8>
// first-error: not in a std::function
#include <functional>

#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Function<Tensor<f32, Shape<8>>(Tensor<f32, Shape<8>>)> f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 8>);
#else
  std::function<Tensor<f32, Shape<8>>(Tensor<f32, Shape<8>>)> f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 8>);
#endif
}
