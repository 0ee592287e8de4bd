// wrote: Function<Tensor<f32, Shape<4>>(Tensor<f32, Shape<4>>)> f = compile(..., in<f32, 8>);
// write: Function<Tensor<f32, Shape<8>>(Tensor<f32, Shape<8>>)> f = compile(..., in<f32, 8>);
// expect: Shape<4>
// first-error: of in<f32, 8> the parameter is Tensor<f32, Shape<8>>
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Function<Tensor<f32, Shape<8>>(Tensor<f32, Shape<8>>)> f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 8>);
#else
  Function<Tensor<f32, Shape<4>>(Tensor<f32, Shape<4>>)> f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 8>);
#endif
}
