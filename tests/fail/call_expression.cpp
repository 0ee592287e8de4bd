// wrote: f(x * 2);
// write: Tensor<f32, Shape<8>> z = x * 2;  f(z);
// expect: Lazy
// first-error: then f(z)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return x * 2; }, in<f32, 8>);
  Tensor<f32, Shape<8>> x;
#ifdef WEFT_FIXED
  Tensor<f32, Shape<8>> z = x * 2;
  auto y = f(z);
#else
  auto y = f(x * 2);
#endif
}
